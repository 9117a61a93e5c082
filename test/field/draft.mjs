import { readdirSync, existsSync, readFileSync } from 'node:fs';
import { tryServer } from './try-server.ts';
import { PackageCache } from './package-cache.ts';
const cache = new PackageCache();
const [only] = process.argv.slice(2);
const dir = new URL('../../node_modules/.cache/field/servers/', import.meta.url);
const drafts = JSON.parse(readFileSync('/tmp/field/drafts.json','utf8'));
for (const d of readdirSync(dir)) {
  if (!existsSync(new URL(d + '/.installed', dir))) continue;
  const at = d.lastIndexOf('@'); const n = d.slice(0, at).replace('+', '/');
  const spec = (d.includes('+') ? '@' : '') + n + d.slice(at);
  const name = n.replace(/[^a-z0-9]+/gi, '-').slice(0, 40);
  if (only && !name.includes(only)) continue;
  const outFile = `/tmp/field/results/${name}.json`;
  if (!only && existsSync(outFile)) continue;
  const draft = drafts[spec.slice(0, spec.lastIndexOf('@'))] ?? {};
  let r; const t = Date.now();
  try { r = await tryServer({ name, package: spec, ...draft }, cache.programOf(spec, draft.bin)); } catch (e) { r = { name, failure: String(e), differences: [] , counts: {}}; }
  r.ms = Date.now() - t;
  (await import('node:fs')).writeFileSync(outFile, JSON.stringify(r, null, 1));
  console.log(name, JSON.stringify(r.counts), r.ms + 'ms', r.failure ? 'FAIL ' + r.failure.slice(0, 300).replace(/\n/g, ' ') : r.differences.length + ' differences');
  if (only) for (const x of r.differences) console.log('  ', x.path, '\n      ', x.bare, '\n      ', x.behind);
  else for (const x of r.differences.slice(0,4)) console.log('  ', x.path, '\n      ', x.bare, '\n      ', x.behind);
}
