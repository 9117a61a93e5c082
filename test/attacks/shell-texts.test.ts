import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { parseShell } from '../../src/policy/conditions/functions/shell-commands.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { ShellTexts, programs } from '../support/shell-texts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const bash = '/bin/bash';
/** `/bin/sh` on Debian and Ubuntu. */
const dash = '/bin/dash';
const texts = 250;
const skip = existsSync(bash) ? false : 'needs Bash';
const skipDash = existsSync(bash) && existsSync(dash) ? false : 'needs Bash and dash';
const sandbox = temporaryDirectory({ after });

/** Commands that run other programs and are listed by their own name. */
const wrappers: Readonly<Record<string, string>> = {
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
      const hidden = (await programsStartedBy(text, index)).filter((name) => !names.has(name));
      assert.ok(hidden.length === 0 || names.has(''), `${JSON.stringify(text)} starts ${hidden.join(', ')}`);
      if (!names.has('') && existsSync(dash))
        for (const name of await programsStartedBy(text, `dash-${index}`, dash))
          assert.ok(names.has(name), `${JSON.stringify(text)} starts ${name} in dash`);
      if (hidden.length === 0 && !names.has('')) listed += 1;
    }
    // Otherwise the generator made only unclear texts, and this test could not fail.
    assert.ok(listed > texts / 10, `${listed} of ${texts} texts were listed in full`);
  });

  test('finds the script after other options, or lists an entry without a name', async () => {
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
      assert.deepEqual(await programsStartedBy(text, `option-${index}`), ['aa'], text);
      const names = namesIn(text.replace(/^\w=\S+; /, ''));
      assert.ok(
        names?.has('aa') === true || names?.has('') === true,
        `${text} is listed as ${[...(names ?? [])].join(', ')}`,
      );
    }
    for (const text of ['bash script.sh', "sh -ec 'git log'", "bash -o errexit -c 'git log'", "eval 'git log'"])
      assert.ok(namesIn(text)?.has('') === false, `${text} is clear`);
  });

  for (const [name, text] of Object.entries(wrappers))
    test(`lists ${name} instead of the program that it starts`, async () => {
      assert.deepEqual(await programsStartedBy(text, `named-${name}`), ['aa']);
      assert.ok(namesIn(text)?.has(name), text);
    });
});

/** Texts that Bash and a POSIX shell read differently. In Bash, each starts at most `aa`. */
const extensions = [
  String.raw`aa $'\'; bb #'`,
  String.raw`aa x$'\'; bb #'`,
  String.raw`aa=$'\'; bb #'`,
  String.raw`aa > $'\'; bb #'`,
  'aa $"x"',
  'aa &>/dev/null bb',
  'aa &>>/dev/null bb',
  'aa 2&>/dev/null bb',
  'aa |& aa',
  'aa >&file',
  'aa 2>&1-',
  'aa >&12',
  'aa 12>/dev/null',
  "aa <<< 'x'",
  'aa <(aa)',
  'aa {x,y}',
  'aa {1..3}',
  '{aa,x}',
  'aa {fd}>/dev/null',
  'shopt -s extglob\naa !(x)',
  '[[ x ]]',
  '((1))',
  'for ((;0;)); do aa; done',
  'x=(1 2)',
  'x+=1 aa',
  'x[0]=1',
  'function aa { aa; }',
  'time aa',
  'time -p aa',
  'coproc aa',
  'select x in; do aa; done',
  'case x in x) aa;& y) aa;; esac',
  'aa $[1+1]',
];

/** Texts that every shell reads in the same way. */
const portable = [
  'aa x "y z" \'q r\' a\\ b',
  'aa >/dev/null 2>&1',
  'aa </dev/null 2>&- | bb x',
  'aa && bb || cc; ! dd & ee',
  '(aa x; bb)',
  '{ aa x; }',
  'if aa x; then bb; else cc; fi',
  'while aa; do bb; break; done',
  "aa '&>/dev/null bb' '$x' '`bb`' '<<<' '|&'",
  'aa "\\$x" "a\'b" "&> bb" \\&\\> bb',
  "aa 'x\ny' # bb $'\n",
  "aa <<'E'\n$'x' &> bb\nE\nbb",
  'aa x#y =x a=b --c=d }',
];

describe('shell(x) against dash and Bash', { skip: skipDash }, () => {
  for (const text of extensions)
    test(`treats a text that a POSIX shell reads differently as unclear: ${JSON.stringify(text)}`, () => {
      const names = namesIn(text);
      assert.ok(names === undefined || names.has(''), `${text} is listed as ${[...(names ?? [])].join(', ')}`);
    });

  for (const [index, text] of portable.entries())
    test(`accepts a text that both shells run with the same words: ${JSON.stringify(text)}`, async () => {
      const { commands } = parseShell(text);
      assert.ok(
        commands.every(({ name, isLiteral }) => name !== '' && isLiteral),
        JSON.stringify(commands),
      );
      const listed = new Set(commands.map(({ words }) => JSON.stringify(words)));
      for (const shell of [bash, dash]) {
        const lines = await startedCommands(text, `portable-${index}-${basename(shell)}`, shell);
        assert.ok(lines.length > 0);
        for (const line of lines) assert.ok(listed.has(line), `${shell} runs ${line}`);
      }
    });

  test('the rule of the guide allows none of the texts that are read differently', () => {
    const page = readFileSync(new URL('../../docs/guide/policies.md', import.meta.url), 'utf8');
    assert.match(page, /commands\.all\(c, c\.name == 'git' && c\.isLiteral/);
    for (const text of extensions.map((each) => each.replaceAll(/\baa\b/g, 'git')))
      assert.ok(!isAllowed(text), `${text} is allowed`);
    assert.ok(isAllowed('git status >/dev/null 2>&1 && git log'));
  });
});

function isAllowed(text: string): boolean {
  try {
    return parseShell(text).commands.every(({ name, isLiteral }) => name === 'git' && isLiteral);
  } catch {
    return false;
  }
}

/** Returns `undefined` for a text that a rule rejects because it cannot be parsed. */
function namesIn(text: string): Set<string> | undefined {
  try {
    return new Set(parseShell(text).commands.map(({ name }) => name));
  } catch {
    return undefined;
  }
}

/** Returns the programs of the test that a shell starts for a text. Each text has its own log, because it may leave programs behind. */
async function programsStartedBy(text: string, key: number | string, shell = bash): Promise<string[]> {
  const lines = await startedCommands(text, key, shell);
  return [...new Set(lines.map((line) => (JSON.parse(line) as string[])[0] ?? ''))];
}

/** Returns the name and the arguments of each program that a shell starts, as JSON. */
async function startedCommands(text: string, key: number | string, shell: string): Promise<string[]> {
  const [bin, work, log] = [join(sandbox, 'bin'), join(sandbox, 'work'), join(sandbox, `log-${key}`)];
  if (!existsSync(bin)) {
    for (const directory of [bin, work]) mkdirSync(directory);
    for (const name of programs) {
      // One write, so that concurrent programs do not mix their lines.
      writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\0' ${name} "$@" "$(printf '\\1')" >> "$LOG"\n`);
      chmodSync(join(bin, name), 0o755);
    }
  }
  const env = { PATH: `${bin}:/usr/bin:/bin`, LOG: log };
  await new Promise<void>((resolve) => {
    const child = execFile(shell, ['-c', text], { cwd: work, env, timeout: 60_000 }, () => resolve());
    child.stdin?.end();
  });
  if (!existsSync(log)) return [];
  const calls = readFileSync(log, 'utf8').split('\u0001\0').slice(0, -1);
  return calls.map((call) => JSON.stringify(call.split('\0').slice(0, -1)));
}
