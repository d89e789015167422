// Sends the message in $TURN_MESSAGE from the folder $TURN_WORKSPACE through the gateway at the given address, as a client would.

const [base] = process.argv.slice(2);
const answer = await fetch(`${base}/v1/messages`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': 'browser', 'anthropic-version': '2023-06-01' },
  body: JSON.stringify({
    model: 'claude-opus-4-8',
    max_tokens: 1024,
    stream: true,
    system: `You are Claude Code.\n\n# Environment\n - Primary working directory: ${process.env.TURN_WORKSPACE}\n`,
    messages: [{ role: 'user', content: process.env.TURN_MESSAGE }],
  }),
});
const text = await answer.text();
if (!answer.ok || !text.includes('message_stop')) {
  console.error(`${answer.status}: ${text}`);
  process.exit(1);
}
