import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { CliProject } from './cli-project.ts';

const project = new CliProject();

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await project.run(['completion', shell]);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** Lines to complete, and a word that must be among the completions. */
const cases: readonly (readonly [line: string, wanted: string])[] = [
  ['signalbox jour', 'journal'],
  ['signalbox journal ver', 'verify'],
  ['signalbox --data /tmp token cre', 'create'],
  ['signalbox token create --ro', '--role'],
  ['signalbox lock --json acc', 'accept'],
  ['signalbox completion fi', 'fish'],
];

/** Scripts that print the completions of a line without a terminal. */
const shells: Readonly<Record<string, (line: string) => string>> = {
  bash: (line) =>
    `COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (line) =>
    `_describe() { print -l -- \${(M)found:#\${words[-1]}*} }; words=(${line}); CURRENT=\${#words}; _signalbox`,
  fish: (line) => `complete -C '${line}'`,
};
const preludes: Readonly<Record<string, string>> = { bash: '', zsh: 'compdef() { }\n', fish: '' };

describe('completion', () => {
  for (const [shell, scriptOf] of Object.entries(shells)) {
    const isInstalled = spawnSync(shell, ['-c', 'true']).status === 0;
    const reason = isInstalled ? '' : `, skipped because ${shell} is not installed`;
    test(`${shell} completes commands and options, also after options${reason}`, { skip: !isInstalled }, async () => {
      const script = await scriptFor(shell);
      for (const [line, wanted] of cases) {
        const text = `${preludes[shell]}${script}\n${scriptOf(line)}\n`;
        const options = shell === 'zsh' ? ['-f', '-c'] : ['-c'];
        const answers = execFileSync(shell, [...options, text], { encoding: 'utf8' }).split('\n');
        assert.ok(
          answers.some((answer) => answer.split(/[\t:]/)[0] === wanted),
          `${line}: ${answers.join(' ')}`,
        );
      }
    });
  }

  test('knows every command, and rejects an unknown shell', async () => {
    const script = await scriptFor('bash');
    const { stdout: help } = await project.run(['--help']);
    const commands = [...help.matchAll(/^ {2}([a-z]+)(?: \[| <| {2})/gm)].flatMap(([, name = '']) => name);
    assert.ok(commands.length > 20, commands.join(' '));
    for (const command of commands) assert.match(script, new RegExp(`'[^']*\\b${command}\\b`), command);
    const refused = await project.run(['completion', 'tcsh']);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /bash, zsh, fish/);
  });
});
