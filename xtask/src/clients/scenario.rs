//! The turns that every other client runs: rules, a change of model after thinking, a mention, a tool, a sub-agent, a spent
//! budget, and an interruption.

use std::{
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{ExpectedLog, answered_bodies, first_messages::latest_main_turn, programs::RunningProgram};
use crate::{
    failure::{Failure, Outcome},
    program::{cannot_start, display_command},
    workspace,
};

/// The policy of the turns. Requested models are used, unless a rule or a mention selects another.
pub(super) const POLICY: &str = "schema_version: 1
global_default: sonnet
gateway: {client_model: default}
rules:
  - {name: commits are fast, when: {message_matches: '^commit'}, use: haiku}
  - {name: workers are fast, when: {thread_is_subagent: true}, use: haiku}
";

/// The part of a policy that refuses every message once anything was spent.
const SPENT_BUDGET: &str = "budgets: [{name: tiny, limit_usd: 0.000001, period: day}]\n";

/// The model that the rules of [`POLICY`] select.
const FAST: &str = "anthropic:claude-haiku-5-5";

/// The longest time that a client may take for one message. The first start after an installation takes longest.
const MESSAGE_LIMIT: Duration = Duration::from_mins(3);

/// The interval between two checks whether a client or a turn has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The milliseconds between the events of the stream that is interrupted.
const STREAM_GAP: u64 = 50;

/// The message whose response takes 100 s with [`STREAM_GAP`].
const LONG_RESPONSE: &str = "LONG:2000 please";

/// A user message that a client sends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message<'m> {
    /// The text, which contains directives for the mock provider.
    pub(super) text: &'m str,
    /// Whether it continues the session of the previous message.
    pub(super) continues: bool,
}

/// The parts of the scenario that differ between clients.
pub(super) struct Driver<'a> {
    /// Returns the command that sends a message and ends with the response.
    pub(super) command: Box<dyn Fn(Message<'_>) -> Command + 'a>,
    /// The name of the slot that decides a message without a rule.
    pub(super) default_slot: &'static str,
    /// The name of a tool, and a message for which the mock provider calls it; `None` if the client offers no tools.
    pub(super) tool: Option<(&'static str, &'static str)>,
    /// A message for which the mock provider starts a sub-agent that calls the same tool, and the tool that starts it;
    /// `None` if requests of sub-agents cannot be recognised, or if there are none.
    pub(super) sub_agent: Option<(&'static str, &'static str)>,
}

/// A running gateway in front of a mock provider, through which a client runs its turns.
pub(super) struct Stage<'a> {
    /// The gateway.
    pub(super) gateway: &'a RunningProgram,
    /// The mock provider.
    pub(super) mock: &'a RunningProgram,
    /// The home folder of the gateway.
    pub(super) home: &'a Path,
}

/// Runs the turns of a client and checks the decision about each. Returns the expected content of the log.
///
/// # Errors
/// If a turn was decided or ended in another way than expected, or if the client does not show the response.
pub(super) fn run(driver: &Driver<'_>, stage: &Stage<'_>) -> Outcome<ExpectedLog> {
    let mut expected_log = ExpectedLog { models: vec![FAST, "anthropic:claude-opus-5-5"], ..ExpectedLog::default() };
    let thinking_turn = stage.send(driver, "THINK hello", false)?;
    thinking_turn.expect(driver.default_slot, None)?;
    let rule_turn = stage.send(driver, "commit this", true)?;
    rule_turn.expect("CONFIGURED_RULES", Some(FAST))?;
    let mention_turn = stage.send(driver, "@opus say hi", true)?;
    mention_turn.expect("PER_MESSAGE_OVERRIDE", Some("anthropic:claude-opus-5-5"))?;
    if answered_bodies(stage.mock)?.iter().any(|body| body.contains("@opus")) {
        return Err(Failure::new("`@opus` was not removed from a request to the provider"));
    }
    expected_log.turns += 3;
    if let Some((tool, text)) = driver.tool {
        let turn = stage.send(driver, text, false)?;
        turn.expect(driver.default_slot, None)?;
        turn.expect_output("tool said ")?;
        expected_log.tools.push(tool);
        expected_log.turns += 1;
    }
    if let (Some((tool, _)), Some((agent, text))) = (driver.tool, driver.sub_agent) {
        stage.send(driver, text, false)?.expect(driver.default_slot, None)?;
        stage.expect_sub_agent()?;
        expected_log.tools.extend([agent, tool]);
        expected_log.turns += 1;
        expected_log.sub_agent = true;
    }
    let policy = stage.home.join("routing.yaml");
    workspace::write_file(&policy, &format!("{POLICY}{SPENT_BUDGET}"))?;
    let refused_turn = stage.send(driver, "hello again", false)?;
    if refused_turn.turn["status"] != "refused" {
        return Err(Failure::new(format!("a spent budget did not refuse the message: {}", refused_turn.turn)));
    }
    refused_turn.expect_output("tiny")?;
    workspace::write_file(&policy, POLICY)?;
    stage.interrupt(driver)?;
    expected_log.turns += 2;
    expected_log.interrupted = 1;
    Ok(expected_log)
}

/// The last turn of the main conversation after a message, and what the client printed.
struct Sent<'m> {
    /// The text of the message.
    text: &'m str,
    /// The turn in the JSON of the gateway's API.
    turn: Value,
    /// The output of the client.
    output: String,
}

impl Sent<'_> {
    /// Fails unless the turn was decided by a slot and is completed, with `model` on that model, and the client shows the
    /// response.
    fn expect(&self, slot: &str, model: Option<&str>) -> Outcome {
        let Self { text, turn, .. } = self;
        let has_model = model.is_none_or(|model| turn["model"] == model);
        if turn["slot"] != slot || turn["status"] != "completed" || !has_model {
            return Err(Failure::new(format!("{text:?}: {slot} {model:?} was expected: {turn}")));
        }
        if turn["tools"] == 0 { self.expect_output("Hello from the mock.") } else { Ok(()) }
    }

    /// Fails unless the client printed a text.
    fn expect_output(&self, part: &str) -> Outcome {
        if self.output.contains(part) {
            return Ok(());
        }
        Err(Failure::new(format!("{:?}: the client does not show {part:?}:\n{}", self.text, self.output)))
    }
}

impl Stage<'_> {
    /// Sends a message with a client and returns the turn, after a line about the decision.
    fn send<'m>(&self, driver: &Driver<'_>, text: &'m str, continues: bool) -> Outcome<Sent<'m>> {
        let start_time = Instant::now();
        let output = run_limited(&mut (driver.command)(Message { text, continues }))?;
        let turn = self.latest_turn()?.ok_or_else(|| Failure::new(format!("no turn for {text:?}: {output}")))?;
        let field = |name: &str| turn[name].as_str().unwrap_or("-").to_owned();
        let (seconds, start) = (start_time.elapsed().as_secs_f64(), text.chars().take(40).collect::<String>());
        println!("  {start:<40} {} · {} ({seconds:.1} s)", field("model"), field("reason"));
        Ok(Sent { text, turn, output })
    }

    /// Returns the latest turn of a main conversation; `None` if there is none.
    fn latest_turn(&self) -> Outcome<Option<Value>> {
        let turns = self.gateway.request_json("/api/turns?limit=20", None)?;
        Ok(latest_main_turn(&turns).cloned())
    }

    /// Fails unless the rule for sub-agents decided a turn.
    fn expect_sub_agent(&self) -> Outcome {
        let turns = self.gateway.request_json("/api/turns?limit=20", None)?;
        let is_expected = |turn: &Value| turn["subagent"] == true && turn["rule"] == "workers are fast";
        let found = turns["turns"].as_array().into_iter().flatten().any(is_expected);
        if found { Ok(()) } else { Err(Failure::new(format!("no rule decided a turn of a sub-agent: {turns}"))) }
    }

    /// Kills a client while it receives a response, and waits until the gateway has recorded the turn as cancelled.
    fn interrupt(&self, driver: &Driver<'_>) -> Outcome {
        self.mock.request_json("/control/gap", Some(&json!(STREAM_GAP)))?;
        let mut command = (driver.command)(Message { text: LONG_RESPONSE, continues: false });
        let mut client = start_in_group(&mut command)?;
        let receives = |turn: &Value| turn["message"].as_str().is_some_and(|text| text.contains(LONG_RESPONSE));
        let running_result = self.wait_for(|turn| receives(turn) && turn["status"] == "running");
        // The response has begun by then.
        thread::sleep(Duration::from_secs(1));
        kill_group(&mut client)?;
        running_result?;
        let cancel_result = self.wait_for(|turn| receives(turn) && turn["status"] == "cancelled");
        self.mock.request_json("/control/gap", Some(&json!(0)))?;
        cancel_result.map(|()| println!("  {LONG_RESPONSE:<40} cancelled when the client was killed"))
    }

    /// Waits until `is_expected` returns true for the latest turn. Fails after [`MESSAGE_LIMIT`].
    fn wait_for(&self, is_expected: impl Fn(&Value) -> bool) -> Outcome {
        let start = Instant::now();
        loop {
            let turn = self.latest_turn()?.unwrap_or_default();
            if is_expected(&turn) {
                return Ok(());
            }
            if MESSAGE_LIMIT < start.elapsed() {
                return Err(Failure::new(format!("the interrupted turn stays as {turn}")));
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}

/// Runs a client and returns its standard output and error. Its exit code is not checked: a refused message is an error for
/// most clients.
///
/// # Errors
/// If it cannot be started, or does not end within [`MESSAGE_LIMIT`].
fn run_limited(command: &mut Command) -> Outcome<String> {
    let mut client = start_in_group(command)?;
    let start = Instant::now();
    let lost_client = |error: std::io::Error| Failure::new(format!("lost `{}`: {error}", display_command(command)));
    // The output may exceed a pipe.
    let pipes = (client.stdout.take(), client.stderr.take());
    let reader = thread::spawn(move || {
        let read = |pipe: Option<&mut dyn std::io::Read>| {
            let mut bytes = Vec::new();
            // The output so far is enough if the client closes the pipe with an error.
            let _ = pipe.map(|pipe| pipe.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (mut stdout, mut stderr) = pipes;
        let error_reader = thread::spawn(move || read(stderr.as_mut().map(|pipe| pipe as &mut dyn std::io::Read)));
        let output = read(stdout.as_mut().map(|pipe| pipe as &mut dyn std::io::Read));
        format!("{output}{}", error_reader.join().unwrap_or_default())
    });
    while client.try_wait().map_err(lost_client)?.is_none() {
        if MESSAGE_LIMIT < start.elapsed() {
            kill_group(&mut client)?;
            let output = reader.join().unwrap_or_default();
            return Err(Failure::new(format!("`{}` does not end:\n{output}", display_command(command))));
        }
        thread::sleep(POLL_INTERVAL);
    }
    Ok(reader.join().unwrap_or_default())
}

/// Starts a client in its own process group, so that its children can be killed with it.
fn start_in_group(command: &mut Command) -> Outcome<Child> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    command.spawn().map_err(|error| cannot_start(command, &error))
}

/// Kills the process group of a client.
fn kill_group(client: &mut Child) -> Outcome {
    let kill_output = Command::new("kill").args(["-KILL", "--", &format!("-{}", client.id())]).output();
    let Output { status, stderr, .. } =
        kill_output.map_err(|error| Failure::new(format!("cannot run kill: {error}")))?;
    if !status.success() {
        return Err(Failure::new(format!("cannot kill the client: {}", String::from_utf8_lossy(&stderr))));
    }
    client.wait().map(drop).map_err(|error| Failure::new(format!("lost the client: {error}")))
}
