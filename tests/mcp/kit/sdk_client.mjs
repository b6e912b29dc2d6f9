// sdk_client.mjs KIT 1|2 DIRECTORY FILE... -- SERVER [ARG...]
// The official SDK, of that major version, as the client of a file server.  Offers "/" and DIRECTORY as roots, reads each FILE
// with read_text_file, and prints what came of it as one JSON object.
import { createRequire } from 'node:module'; import { pathToFileURL } from 'node:url';
const [kit, major, directory, ...rest] = process.argv.slice(2), dashes = rest.indexOf('--');
const files = rest.slice(0, dashes), server = rest.slice(dashes + 1);
const load = (name) => import(pathToFileURL(createRequire(kit + '/x.js').resolve(name)));
const [client, stdio] = major === '1' ? ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js'] :
  ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'];
const { Client } = await load(client), { StdioClientTransport } = await load(stdio);
const roots = { roots: [{ uri: 'file:///' }, { uri: pathToFileURL(directory).href }] };
const c = new Client({ name: 'sdk', version: major }, { capabilities: { roots: {} } });
if (major === '1') c.setRequestHandler((await load('@modelcontextprotocol/sdk/types.js')).ListRootsRequestSchema, () => roots);
else c.setRequestHandler('roots/list', () => roots);
await c.connect(new StdioClientTransport({ command: server[0], args: server.slice(1), env: process.env, stderr: 'inherit' }));
const out = { tools: (await c.listTools()).tools.length, files: [] };
for (const path of files) {
  const r = await c.callTool({ name: 'read_text_file', arguments: { path } });
  out.files.push({ isError: r.isError === true, text: r.content[0].text, denial: r._meta?.['cordon/denial'] ?? null });
}
await c.close();
console.log(JSON.stringify(out));
