// sdk_serve.mjs KIT 1|2 SERVER [ARG...]
// The official SDK, of that major version, as the client of `cordon mcp serve`: lists the tools, reads a file and one that it may not,
// runs a command that needs approval (the user accepts the first question and declines the second), cancels one, and prints what
// came of it as one JSON object.  The SDK checks results against the output schemas by itself.
import { createRequire } from 'node:module'; import { pathToFileURL } from 'node:url';
const [kit, major, ...server] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(createRequire(kit + '/x.js').resolve(name)));
const [client, stdio] = major === '1' ? ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js'] :
  ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'];
const { Client } = await load(client), { StdioClientTransport } = await load(stdio);
const c = new Client({ name: 'sdk', version: major }, { capabilities: { elicitation: { form: {} } } });
const questions = [];
const answer = (request) => { questions.push(request.params.message); return questions.length === 1 ? { action: 'accept', content: {} } : { action: 'decline' }; };
if (major === '1') c.setRequestHandler((await load('@modelcontextprotocol/sdk/types.js')).ElicitRequestSchema, answer);
else c.setRequestHandler('elicitation/create', answer);
await c.connect(new StdioClientTransport({ command: server[0], args: server.slice(1), env: process.env, stderr: 'inherit' }));
const call = async (name, args, ...more) => { const r = await c.callTool({ name, arguments: args }, ...more); return { isError: r.isError === true, text: r.content[0].text, structured: r.structuredContent ?? null, denial: r._meta?.['cordon/denial'] ?? null }; };
const out = { tools: (await c.listTools()).tools.map((t) => t.name), inside: await call('read_text', { path: 'note' }), outside: await call('read_text', { path: '/etc/passwd' }) };
out.approved = await call('shell', { command: 'touch yes' }); out.declined = await call('shell', { command: 'touch no' });
const stop = new AbortController(), options = { signal: stop.signal, onprogress: () => stop.abort() };
out.cancelled = await (major === '1' ? call('shell', { command: 'sleep 3600', timeout_ms: 300000 }, undefined, options) : call('shell', { command: 'sleep 3600', timeout_ms: 300000 }, options)).then(() => 'answered', () => 'cancelled');
out.after = await call('read_text', { path: 'note' });
await c.close();
console.log(JSON.stringify({ ...out, questions }));
