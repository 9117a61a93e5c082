import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { parseShell } from '../../src/policy/conditions/functions/shell-commands.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { ShellTexts, programs } from '../support/shell-texts.ts';

const bash = '/bin/bash';
const texts = 250;
const skip = existsSync(bash) ? false : 'there is no Bash';
const place = mkdtempSync(join(tmpdir(), 'signalbox-shell-'));
after(() => rmSync(place, { recursive: true, force: true }));

/** Commands that run what they are given and are listed by their own name. */
const seenByName: Readonly<Record<string, string>> = {
  env: 'env aa',
  xargs: 'echo x | xargs aa',
  find: String.raw`find . -maxdepth 0 -exec aa {} \;`,
  trap: 'trap aa EXIT',
  command: 'command aa',
  builtin: "builtin eval 'aa'",
  exec: 'exec aa',
  nohup: 'nohup aa',
  '.': '. /dev/stdin <<< aa',
  source: 'source <(echo aa)',
  mapfile: 'mapfile -C aa -c 1 <<< x',
  compgen: 'compgen -C aa x',
  test: "test -v 'a[$(aa)]'",
  unset: "a=(1); unset 'a[$(aa)]'",
  '[': "[ -v 'a[$(aa)]' ]",
  printf: "printf -v 'a[$(aa)]' x",
  read: "read 'a[$(aa)]' <<< x",
  declare: "declare 'a[$(aa)]=1'",
  typeset: "typeset 'a[$(aa)]=1'",
  wait: "true & wait -n -p 'a[$(aa)]'",
  set: 'set -- aa; $1',
  alias: "shopt -s expand_aliases\nalias zz='aa'\nzz",
  sh: 'echo aa | sh',
  bash: 'bash <<E\naa\nE',
};

describe('shell(x) against a real Bash', { skip }, () => {
  test('lists every program that a generated text starts, or an entry without a name', async (t) => {
    t.diagnostic(`seed ${runSeed}`);
    const next = seeded(runSeed);
    const generator = new ShellTexts((below) => Math.floor(next() * below));
    let listed = 0;
    for (let index = 0; index < texts; index += 1) {
      const text = generator.next();
      const names = namesIn(text);
      if (names === undefined) continue;
      const hidden = (await startedBy(text, index)).filter((name) => !names.has(name));
      assert.ok(hidden.length === 0 || names.has(''), `${JSON.stringify(text)} starts ${hidden.join(', ')}`);
      if (hidden.length === 0 && !names.has('')) listed += 1;
    }
    // Else the generator would make unclear texts only, and this test could not fail.
    assert.ok(listed > texts / 10, `${listed} of ${texts} texts were listed in full`);
  });

  test('finds the script behind other options, or an entry without a name', async () => {
    const scripts = [
      "bash -c -o errexit 'aa'",
      "bash -co errexit 'aa'",
      "bash -oc errexit 'aa'",
      "bash -c +O extglob 'aa'",
      "bash -c - 'aa'",
      "bash -c -- 'aa'",
      "bash +c 'aa'",
      "bash --rcfile x -c 'aa'",
      "bash --norc -ec 'aa'",
      "sh -c '$0' aa",
      "eval -- 'aa'",
      'X=aa; eval $X',
      'bash -c "${X-aa}"',
      'o=-c; bash $o aa',
    ];
    for (const [index, text] of scripts.entries()) {
      assert.deepEqual(await startedBy(text, `option-${index}`), ['aa'], text);
      const names = namesIn(text.replace(/^\w=\S+; /, ''));
      assert.ok(
        names?.has('aa') === true || names?.has('') === true,
        `${text} is listed as ${[...(names ?? [])].join(', ')}`,
      );
    }
    for (const text of ['bash script.sh', "sh -ec 'git log'", "bash -o errexit -c 'git log'", "eval 'git log'"])
      assert.ok(namesIn(text)?.has('') === false, `${text} is clear`);
  });

  for (const [name, text] of Object.entries(seenByName))
    test(`lists ${name}, not the program that it starts, by its own name`, async () => {
      assert.deepEqual(await startedBy(text, `named-${name}`), ['aa']);
      assert.ok(namesIn(text)?.has(name), text);
    });
});

/** Returns nothing for a text that a rule refuses because it cannot be parsed. */
function namesIn(text: string): Set<string> | undefined {
  try {
    return new Set(parseShell(text).commands.map(({ name }) => name));
  } catch {
    return undefined;
  }
}

/** Returns the programs of the test that Bash starts for a text. Each text has a log of its own: it may leave programs behind. */
async function startedBy(text: string, key: number | string): Promise<string[]> {
  const [bin, work, log] = [join(place, 'bin'), join(place, 'work'), join(place, `log-${key}`)];
  if (!existsSync(bin)) {
    for (const directory of [bin, work]) mkdirSync(directory);
    for (const name of programs) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> "$LOG"\n`);
      chmodSync(join(bin, name), 0o755);
    }
  }
  const env = { PATH: `${bin}:/usr/bin:/bin`, LOG: log };
  await new Promise<void>((resolve) => {
    const child = execFile(bash, ['-c', text], { cwd: work, env, timeout: 60_000 }, () => resolve());
    child.stdin?.end();
  });
  return existsSync(log) ? [...new Set(readFileSync(log, 'utf8').trim().split('\n'))] : [];
}
