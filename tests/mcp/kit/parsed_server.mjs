// parsed_server.mjs - answers each call with what it parsed: the arguments, and every file that one of their strings (or keys)
// could mean to a server that resolves, decodes, or takes a file URL.
import readline from 'node:readline'; import path from 'node:path'; import fs from 'node:fs'; import { fileURLToPath } from 'node:url';
const tried = (f) => { try { return [f()]; } catch { return []; } };
const real = (p) => { try { return fs.realpathSync(p); } catch { return p; } };
const meanings = (s) => { const all = new Set([s, s.trim(), s.replaceAll('\\', '/')]);
  for (let i = 0; i < 3; i++) for (const x of [...all]) for (const y of tried(() => decodeURIComponent(x))) all.add(y);
  const files = [...all].map((x) => path.resolve(x.startsWith('~') ? path.join(process.env.HOME ?? '/', x.slice(1)) : x));
  if (/^\s*file:/i.test(s)) files.push(...tried(() => fileURLToPath(s.trim())));
  return files.flatMap((f) => [f, real(f)]); };
const strings = (v) => typeof v === 'string' ? [v] : v && typeof v === 'object' ? [...Object.keys(v).filter((k) => !Array.isArray(v) && k.includes('/')), ...Object.values(v).flatMap(strings)] : [];
readline.createInterface({ input: process.stdin }).on('line', (l) => {
  let m; try { m = JSON.parse(l); } catch (e) { process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { unparsed: String(e) } }) + '\n'); return; }
  for (const one of Array.isArray(m) ? m : [m]) {
    if (one.method !== 'tools/call') { if (one.id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: one.id, result: {} }) + '\n'); continue; }
    const a = one.params?.arguments;
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: one.id ?? 'none', result: { content: [], parsed: a ?? null, files: strings(a).flatMap(meanings), name: one.params?.name } }) + '\n');
  }
});
