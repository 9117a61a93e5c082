import type { Section } from '../requirement.ts';

/** Conditions, resources and prompts (H30–H39). */
export const conditions: Section<'H'> = {
  H30: {
    promise:
      'all conditions of a call share one budget of work, counted from the sizes of values; a decision that would exceed it denies with that reason',
    tests: [
      'test/attacks/conditions.test.ts > expensive condition on large arguments > is denied with the reason, in allow and deny rules: args.list.all(x, x in args.list)',
      'test/attacks/conditions.test.ts > expensive condition on large arguments > is denied with the reason, in allow and deny rules: args.text.contains(args.part)',
      'test/attacks/conditions.test.ts > expensive condition on large arguments > all rules of a call share one budget',
      'test/attacks/conditions.test.ts > expensive condition on large arguments > a part over budget denies even if another part is true',
      'test/attacks/conditions.test.ts > expensive condition on large arguments > a budget rule denies if its cost is too expensive to compute',
      'test/attacks/conditions.test.ts > expensive condition on large arguments > the charged work depends only on the values: the same call costs the same each time',
      'test/attacks/conditions.test.ts > ordinary conditions on large arguments > are evaluated: a megabyte of text, a list of ten thousand items',
    ],
  },
  H31: {
    promise: 'lowerAscii and upperAscii change A–Z and a–z and no other letter',
    tests: [
      'test/attacks/conditions.test.ts > string functions of conditions > lowerAscii and upperAscii fold only A–Z: no other letter becomes an ASCII letter',
    ],
  },
  H32: {
    promise:
      'path(x).within(dir) sees through //, ., .., links and file: URLs; a text that is not one certain path denies, whatever the rule answers',
    tests: [
      'test/attacks/conditions.test.ts > path(x).within(dir) > resolves //, ., .., trailing slashes, links and file: URLs',
      'test/attacks/conditions.test.ts > path(x).within(dir) > denies a text that is not one unambiguous path, in allow, deny and ask rules',
      'test/attacks/conditions.test.ts > path(x).within(dir) > resolves relative paths against the only workspace of the server',
      'test/attacks/conditions.test.ts > path(x).within(dir) > ignores case where the file system does',
    ],
  },
  H33: {
    promise:
      'shell(x).commands lists every command of a text, also in substitutions, with assignments, redirections and loops; expansions and here-documents that may run commands out of sight count as a substitution and a command without a name; a text that cannot be parsed denies',
    tests: [
      'test/attacks/shell-conditions.test.ts > shell(x) > a rule that allows git allows no other command in the same text',
      'test/attacks/shell-conditions.test.ts > shell(x) > text that runs a hidden command > is denied by each rule: "git log <<E\\n${x:-\'$(echo PWNED>&2)\'}\\nE"',
      'test/attacks/shell-conditions.test.ts > shell(x) > text that runs a hidden command > is denied by each rule: "for PATH in /tmp/evil; do git log; done"',
      `test/attacks/shell-conditions.test.ts > shell(x) > text that runs a hidden command > is denied by each rule: "git \${x:='$(echo PWNED>&2)'} \${x@P}"`,
      `test/attacks/shell-conditions.test.ts > shell(x) > text that runs a hidden command > is denied by each rule: "git --version 'a[$(echo PWNED>&2)]'; git $((_))"`,
      'test/attacks/shell-conditions.test.ts > shell(x) > text that runs a hidden command > is denied by each rule: "git log <<< x"',
      'test/attacks/shell-conditions.test.ts > shell(x) > evaluation that runs code in a value counts as a substitution',
      'test/attacks/shell-conditions.test.ts > shell(x) > ordinary commands are listed by name and have no substitution',
      'test/attacks/shell-conditions.test.ts > shell(x) > a text that cannot be parsed denies, in allow, deny and ask rules',
      'test/attacks/shell-conditions.test.ts > shell(x) > exposes substitutions, words, computed words, and the commands of eval and sh -c',
      'src/policy/rules/rule-warnings.test.ts > warnAboutPrefixes warns about startsWith on a command or a path, and on nothing else',
    ],
  },
  H34: {
    promise:
      'resources, prompts, completion and subscriptions pass policy and are recorded as calls on every surface; rules deny, ask about and count them',
    tests: [
      'test/attacks/resources-and-prompts.test.ts > rules about resources and prompts > apply to the library, and the journal records which reads they denied',
      'test/attacks/resources-and-prompts.test.ts > rules about resources and prompts > apply to resources, prompts and completion at the MCP endpoint (legacy)',
      'test/attacks/resources-and-prompts.test.ts > rules about resources and prompts > apply to resources, prompts and completion at the MCP endpoint (modern)',
      'test/attacks/resources-and-prompts.test.ts > rules about resources and prompts > apply to subscriptions at the MCP endpoint',
      'test/attacks/resources-and-prompts.test.ts > rules about resources and prompts > apply over HTTP, with 403 and the reason',
      'test/attacks/resources-and-prompts.test.ts > rules about resources and prompts > apply to tools that read resources while they run',
      'test/attacks/resources-and-prompts.test.ts > rules about resources and prompts > can ask a human, who may deny',
      'test/attacks/resources-and-prompts.test.ts > rules about resources and prompts > count reads for rate limits, requires and flow',
      'test/attacks/resources-and-prompts.test.ts > rules about resources and prompts > a tool cannot take the name of a method, and methods are not listed as tools',
    ],
  },
  H35: {
    promise: 'a rule about call_tool is refused when the policy is loaded, with the reason',
    tests: [
      'test/attacks/resources-and-prompts.test.ts > rule about call_tool > is rejected when the policy is loaded, with the reason',
      'test/attacks/resources-and-prompts.test.ts > rule about call_tool > is recognized by the configured name of the built-in server',
    ],
  },
  H36: {
    promise: 'an undone call no longer satisfies requires, live, after a restart and in a backtest',
    tests: [
      'test/attacks/resources-and-prompts.test.ts > undone call > no longer satisfies requires: live, after a restart and in a backtest',
    ],
  },
  H37: {
    promise:
      'for generated texts, shell(x).commands lists every program that a real Bash starts, or has an entry without a name; scripts of eval and sh -c are found behind other options or count as unclear; commands that run others are listed by their own name',
    tests: [
      'test/attacks/shell-texts.test.ts > shell(x) against a real Bash > lists every program that a generated text starts, or an entry without a name',
      'test/attacks/shell-texts.test.ts > shell(x) against a real Bash > finds the script after other options, or lists an entry without a name',
      'test/attacks/shell-texts.test.ts > shell(x) against a real Bash > lists xargs instead of the program that it starts',
    ],
  },
  H111: {
    promise:
      'shell(x) calls unclear what dash reads differently from Bash, and what it accepts as literal both shells run with the same words',
    tests: [
      'test/attacks/shell-conditions.test.ts > shell(x) > [[ counts as a substitution, because dash runs it as a command',
      'test/attacks/shell-texts.test.ts > shell(x) against dash and Bash > the rule of the guide allows none of the texts that are read differently',
      'test/attacks/shell-texts.test.ts > shell(x) against dash and Bash > accepts a text that both shells run with the same words: "aa >/dev/null 2>&1"',
      'test/attacks/shell-texts.test.ts > shell(x) against a real Bash > lists every program that a generated text starts, or an entry without a name',
    ],
  },
  H112: {
    promise: 'import shows everything that it accepts, escaped, before it asks',
    tests: [
      'test/attacks/import-trust.test.ts > import from an untrusted repository > shows everything that it would accept, escaped, before it asks',
      'test/attacks/import-trust.test.ts > import from an untrusted repository > accepts with --yes exactly the capabilities that it prints',
    ],
  },
  H113: {
    promise:
      'reasons of questions have no invisible characters, and a call does not run when its profile hides the tool while it waits',
    tests: [
      'test/attacks/question-text.test.ts > reason of an approval request > contains no invisible characters and no line breaks of the caller, at every surface',
      'test/attacks/question-text.test.ts > variation selector > is escaped except directly after an emoji, in reasons and in the console',
      'test/attacks/question-text.test.ts > call that waits for approval > does not run if its profile hides the tool meanwhile',
    ],
  },
  H114: {
    promise:
      'definitions that tools and add showed are pinned, and a lock that a pull changes or removes has to be accepted again',
    tests: [
      'test/attacks/shown-definitions.test.ts > definitions that a human was shown > are pinned by tools: a server that declares its tool read-only later asks',
      'test/attacks/shown-definitions.test.ts > definitions that a human was shown > are pinned by add',
      'test/attacks/shown-definitions.test.ts > lock changed by a pull > must be accepted again, also when it is removed, unless this machine wrote it',
    ],
  },
  H115: {
    promise: 'a read gets the arguments that were decided on',
    tests: [
      'test/attacks/call-arguments-read-once.test.ts > a read runs with the arguments that policy decided on, even if a getter changes its value',
      'test/attacks/call-arguments-read-once.test.ts > a read runs with the arguments that policy decided on, even if the caller mutates them during a policy check',
    ],
  },
};
