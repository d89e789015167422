//! Access control, limits, and data that must never be written.

use gateway::Scope::{Admin, Read, Use};
use hyper::Method;

use crate::support::{KEY, SESSION, Wish, World, message};

const SONNET: &str = "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n";

#[test]
fn a_page_that_had_its_name_point_here_is_refused() {
    let world = World::new(SONNET);
    for path in ["/", "/api/turns", "/v1/models", "/metrics"] {
        let answer = world.send(&Method::GET, path, &[("host", "evil.example")], "");
        assert_eq!(answer.status, 403, "{path}");
    }
    let answer = world.post("/v1/messages", &[("origin", "http://evil.example")], &message("turnwise", "hi"));
    assert_eq!((answer.status.as_u16(), world.mock.count()), (403, 0));
}

#[test]
fn where_a_token_is_demanded_nothing_is_told_without_it() {
    let world = World::wished(&Wish { policy: SONNET, tokens: Some("tw-right"), ..Wish::default() });
    for path in ["/api/turns", "/api/status", "/v1/models", "/metrics", "/turns/last"] {
        assert_eq!(world.send(&Method::GET, path, &[], "").status, 401, "{path}");
    }
    assert_eq!(world.send(&Method::GET, "/", &[], "").status, 200, "the page itself asks for it");
    let wrong = world.post("/v1/messages", &[("x-api-key", "tw-wrong")], &message("turnwise", "hi"));
    assert_eq!((wrong.status.as_u16(), wrong.json()["error"]["type"].as_str()), (401, Some("authentication_error")));
    let right = world.post("/v1/messages", &[("authorization", "Bearer tw-right")], &message("turnwise", "hi"));
    assert_eq!(right.status, 200, "{}", right.body);
    let requests = world.mock.requests();
    let sent = requests.last().unwrap();
    assert!(sent.headers.iter().all(|(_, value)| !value.contains("tw-right")), "the token stays here");
}

#[test]
fn a_token_never_goes_on_to_a_provider_and_is_no_key() {
    let wish = Wish { policy: SONNET, tokens: Some("tw-right"), keyless: true, ..Wish::default() };
    let world = World::wished(&wish);
    let token = ("x-turnwise-token", "tw-right");
    let sent =
        |headers: &[(&str, &str)]| world.post("/v1/messages", headers, &message("turnwise", "hi")).status.as_u16();
    assert_eq!(sent(&[token]), 400, "nobody has a key");
    assert_eq!(sent(&[token, ("authorization", "Bearer tw-right")]), 400);
    assert_eq!(sent(&[("x-turnwise-token", "junk"), ("x-api-key", "tw-right")]), 400);
    assert_eq!((world.mock.count(), sent(&[token, ("x-api-key", "sk-own")])), (0, 200));
    let requests = world.mock.requests();
    assert_eq!(requests[0].header("x-api-key"), Some("sk-own"));
    assert!(requests[0].headers.iter().all(|(_, value)| !value.contains("tw-right")));
}

#[test]
fn who_could_speak_another_protocol_is_answered_in_this_one() {
    let world = World::new(SONNET);
    let upgrade = |to| world.post("/v1/messages", &[("upgrade", to)], &message("turnwise", "hi")).status.as_u16();
    assert_eq!((upgrade("h2c"), upgrade("websocket"), upgrade("WebSocket")), (200, 426, 426));
}

#[test]
fn requests_that_are_too_large_or_no_requests_are_refused_in_the_clients_own_shape() {
    let world = World::wished(&Wish { policy: SONNET, body_bytes: Some(2_000), ..Wish::default() });
    let large = world.post("/v1/messages", &[], &message("turnwise", &"x".repeat(3_000)));
    assert_eq!((large.status.as_u16(), large.json()["type"].as_str()), (413, Some("error")));
    for body in ["", "{", "[]", "null", "{\"messages\":7}", &"[".repeat(1_500)] {
        let answer = world.send(&Method::POST, "/v1/chat/completions", &[], body);
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.json()["error"]["message"].is_string(), "{}", answer.body);
    }
    let nothing = world.post("/v1/nothing", &[], &message("turnwise", "hi"));
    assert_eq!(nothing.status, 404);
    assert_eq!(world.mock.count(), 0);
}

#[test]
fn no_key_stands_in_the_log_and_none_in_what_is_told() {
    let world = World::new(SONNET);
    world.mock.fail(mock_upstream::Failure::once(mock_upstream::Fault::Status { status: 401, retry_after: None }));
    let secret = [("x-api-key", "sk-of-the-client"), SESSION[0]];
    let failed = world.post("/v1/messages", &secret, &message("turnwise", "hello"));
    let fine = world.post("/v1/messages", &secret, &message("turnwise", "hello"));
    world.ended(2);
    let status = world.send(&Method::GET, "/api/status", &[], "");
    let turn = world.send(&Method::GET, &format!("/turns/{}", fine.header("x-turnwise-turn")), &[], "");
    let texts = [failed.body, fine.body, status.body, turn.body, world.log_text()];
    for text in texts {
        assert!(!text.contains(KEY) && !text.contains("sk-of-the-client"), "{text}");
    }
}

#[test]
fn the_page_shows_turns_and_their_reasons_and_takes_a_policy_only_as_it_should_be() {
    let world = World::new(SONNET);
    let answer = world.post("/v1/messages", &SESSION, &message("claude-opus-4-8", "explain the borrow checker"));
    world.ended(1);
    let turns = world.send(&Method::GET, "/api/turns?limit=5", &[], "").json();
    assert_eq!(turns["turns"][0]["message"], "explain the borrow checker");
    assert_eq!(
        (&turns["turns"][0]["status"], &turns["turns"][0]["asked"]),
        (&"completed".into(), &"claude-opus-4-8".into())
    );
    let id = answer.header("x-turnwise-turn");
    let why = world.send(&Method::GET, &format!("/turns/{id}"), &[], "").json();
    assert_eq!(why["chain"].as_array().unwrap().len(), 7);
    assert_eq!(why["calls"][0]["model"], "anthropic:claude-sonnet-5-5");
    let policy = world.send(&Method::GET, "/api/policy", &[], "").json();
    let bad = serde_json::json!({ "text": "schema_version: 1\nglobal_defualt: opus\n" });
    let checked = world.post("/api/policy/check", &[], &bad).json();
    assert_eq!(checked["problems"][0]["line"], 2);
    let save = |text: &str, hash: &str| {
        let body = serde_json::json!({ "text": text, "based_on": hash }).to_string();
        world.send(&Method::PUT, "/api/policy", &[], &body)
    };
    let hash = policy["hash"].as_str().unwrap();
    assert_eq!(save("nonsense: true\n", hash).status, 422);
    assert_eq!(save("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: opus\n", hash).status, 200);
    assert_eq!(
        save("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: haiku\n", hash).status,
        409,
        "somebody was quicker"
    );
    let next = world.post("/v1/messages", &SESSION, &message("turnwise", "hello"));
    assert_eq!(next.header("x-turnwise-model"), "anthropic:claude-opus-5-5");
    world.ended(2);
    let question = serde_json::json!({ "text": "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: haiku\n", "turns": 10 });
    let what_if = world.post("/api/policy/what-if", &[], &question).json();
    assert_eq!((&what_if["turns_looked_at"], &what_if["changed"]), (&2.into(), &2.into()), "{what_if}");
    // A form of another site cannot send JSON.
    let form = world.send(&Method::POST, "/api/policy/check", &[("content-type", "text/plain")], &bad.to_string());
    assert_eq!(form.status, 415);
}

#[test]
fn a_mistake_in_the_policy_shows_while_the_last_good_one_decides() {
    let world = World::new(SONNET);
    world.post("/v1/messages", &[], &message("turnwise", "hello"));
    world.set_policy("schema_version: 1\nglobal_defualt: opus\n");
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello again"));
    assert_eq!(answer.header("x-turnwise-model"), "anthropic:claude-sonnet-5-5");
    let status = |world: &World| world.send(&Method::GET, "/api/status", &[], "").json()["policy"]["trouble"].clone();
    assert_eq!(status(&world)[0]["line"], 2);
    world.set_policy("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: opus\n");
    let answer = world.post("/v1/messages", &[], &message("turnwise", "and again"));
    assert_eq!(answer.header("x-turnwise-model"), "anthropic:claude-opus-5-5");
    assert_eq!(status(&world), serde_json::json!([]));
}

/// Attack: a page of another site sends GET requests.
/// Holds: they are refused.
#[test]
fn a_page_of_another_site_reaches_nothing_with_an_effect_or_a_cost_by_get_either() {
    let world = World::new(SONNET);
    for path in ["/api/turns", "/turns/0123", "/metrics", "/v1/models", "/api/live"] {
        for site in ["cross-site", "same-site"] {
            assert_eq!(world.send(&Method::GET, path, &[("sec-fetch-site", site)], "").status, 403, "{path}: {site}");
        }
    }
    assert_eq!(world.send(&Method::GET, "/api/turns", &[("sec-fetch-site", "same-origin")], "").status, 200);
    assert_eq!(
        world.send(&Method::GET, "/", &[("sec-fetch-site", "cross-site")], "").status,
        200,
        "a link to the page"
    );
}

/// Attack: many what-if requests at the same time.
/// Holds: one runs, the others get status 429 with the time to wait.
#[test]
fn a_second_what_if_waits_for_the_first_and_is_then_refused_with_the_time_to_wait() {
    use std::io::Write as _;
    let world = World::new(SONNET);
    world.post("/v1/messages", &[], &message("turnwise", "hello"));
    world.ended(1);
    let question = serde_json::json!({ "text": SONNET, "turns": 10 });
    // The first client sends its request slowly.
    let address = world.url.strip_prefix("http://").unwrap();
    let mut slow = std::net::TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /api/policy/what-if HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{{"
    );
    slow.write_all(head.as_bytes()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(100));
    let refused = world.post("/api/policy/what-if", &[], &question);
    assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (429, "2"), "{}", refused.body);
    // The place is free once the client is gone.
    drop(slow);
    assert_eq!(world.post("/api/policy/what-if", &[], &question).status, 200);
    let statuses = world.post_all("/api/policy/what-if", &vec![question; 24]);
    assert!(statuses.iter().all(|status| matches!(status.as_u16(), 200 | 429)), "{statuses:?}");
    assert!(statuses.iter().any(|status| status.as_u16() == 200));
}

/// Attack: the token of a client is used to change the policy.
/// Holds: a token reaches the endpoints of its scope alone.
#[test]
fn a_token_reaches_the_endpoints_of_its_scope_alone() {
    let statuses = |scopes: &[gateway::Scope]| {
        let wish = Wish { policy: SONNET, tokens: Some("tw-right"), scopes: Some(scopes), ..Wish::default() };
        let world = World::wished(&wish);
        let token = [("x-turnwise-token", "tw-right")];
        let send = |method: &Method, path, body: &str| world.send(method, path, &token, body).status.as_u16();
        let policy = serde_json::json!({ "text": SONNET, "based_on": "other" }).to_string();
        [
            send(&Method::POST, "/v1/messages", &message("turnwise", "hi").to_string()),
            send(&Method::GET, "/api/turns", ""),
            send(&Method::GET, "/api/skills", ""),
            send(&Method::POST, "/api/policy/check", &serde_json::json!({ "text": SONNET }).to_string()),
            send(&Method::PUT, "/api/policy", &policy),
        ]
    };
    assert_eq!(statuses(&[Use]), [200, 403, 403, 403, 403]);
    assert_eq!(statuses(&[Read]), [403, 200, 200, 200, 403]);
    assert_eq!(statuses(&[Use, Read]), [200, 200, 200, 200, 403]);
    assert_eq!(statuses(&[Admin]), [200, 200, 200, 200, 409]);
}

/// Attack: an id or a name of 60 kB in the path of a request.
/// Holds: it is refused, and the response does not repeat it.
#[test]
fn a_long_id_is_refused_and_not_repeated() {
    let world = World::new(SONNET);
    let long = "a".repeat(60_000);
    let requests = [
        (Method::GET, format!("/turns/{long}"), ""),
        (Method::GET, format!("/turns/{}", &long[..65]), ""),
        (Method::POST, format!("/api/turns/{long}/feedback"), r#"{"rating":"up"}"#),
        (Method::POST, format!("/api/providers/{long}/retry"), "{}"),
        (Method::GET, format!("/{long}"), ""),
        (Method::GET, format!("/api/skills/decisions/{long}"), ""),
        (Method::GET, format!("/api/skills/workspace?workspace={long}"), ""),
        (Method::GET, format!("/v1beta/models/{long}:generateContent"), ""),
    ];
    for (method, path, body) in requests {
        let answer = world.send(&method, &path, &[("content-type", "application/json")], body);
        assert!(matches!(answer.status.as_u16(), 400 | 404 | 405), "{method} {path:.40}: {}", answer.status);
        assert!(answer.body.len() < 500 && !answer.body.contains(&long[..200]), "{path:.40}: {:.300}", answer.body);
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path:.40}");
    }
    let known = world.send(&Method::GET, &format!("/turns/{}", &long[..64]), &[], "");
    assert_eq!(known.status, 404, "an id of 64 characters is looked up: {}", known.body);
}
