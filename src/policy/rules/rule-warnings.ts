import { matchesAnyName, matchesNamePattern } from '../../core/text/name-pattern.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import { type NamedTool, type ToolNames, namesOf } from '../../core/tools/tool-names.ts';
import { commandArguments } from '../conditions/survey-condition.ts';
import type { Rule } from './rule.ts';

/** The names that rules can match. */
export interface OfferedNames {
  readonly tools: readonly NamedTool[];
  readonly labels: readonly string[];
  readonly servers: readonly string[];
  /** Servers whose tools are currently unknown. */
  readonly absent: readonly string[];
}

/** A name in a rule that matches nothing, so that the rule may not have the intended effect. */
export interface UnmatchedName {
  readonly rule: string;
  /** The place of the rule in its file. */
  readonly at: string | undefined;
  /** The key of the rule that has the name: `match`, `flow.from`. */
  readonly key: string;
  readonly name: string;
  readonly what: 'tool' | 'label' | 'server';
  readonly nearest: string | undefined;
}

type RuleName = Pick<UnmatchedName, 'key' | 'name' | 'what'> & {
  /** The set of a tool's names that it is matched against: all names, unless the rule can permit something. */
  readonly nameSet?: keyof ToolNames;
};

/** Returns the names in rules that match no tool, label or server. A name that an absent server might offer is not reported. */
export function findUnmatchedNames(rules: readonly Rule[], offered: OfferedNames): UnmatchedName[] {
  const candidates = {
    tool: [...offered.tools.map(({ name }) => name), ...offered.servers.map((server) => `mcp__${server}__*`)],
    label: offered.labels,
    server: offered.servers,
  };
  return rules.flatMap((rule) =>
    [...namesInRule(rule), ...toRuleNames('servers', 'server', rule.scope.servers ?? [])]
      .filter((each) => !isFound(each, offered))
      .map(({ key, name, what }) => ({
        rule: rule.id,
        at: rule.at,
        key,
        name,
        what,
        nearest: closestMatch(name, candidates[what]),
      })),
  );
}

/** Returns the names of tools and labels in a rule. */
export function namesInRule({ kind, answer, scope }: Rule): RuleName[] {
  switch (kind.type) {
    case 'match': {
      const nameSet = answer !== 'allow' ? 'all' : scope.servers === undefined ? 'full' : 'past';
      const past = kind.when === true ? [] : kind.when.toolPatterns;
      return [...toRuleNames('match', 'tool', kind.match, nameSet), ...toRuleNames(answer, 'tool', past, 'past')];
    }
    case 'requires':
      return kind.targets.flatMap(({ match, steps }) => [
        ...toRuleNames('requires', 'tool', [match]),
        ...toRuleNames('requires', 'tool', steps, 'past'),
      ]);
    case 'readBeforeWrite':
      return [
        ...toRuleNames('readBeforeWrite.read', 'tool', kind.track.read, 'past'),
        ...toRuleNames('readBeforeWrite.write', 'tool', kind.track.write),
      ];
    case 'limit':
      return toRuleNames('match', 'tool', kind.meters[0]?.meter.match ?? []);
    case 'flow':
      return [...toRuleNames('flow.from', 'label', kind.from), ...toRuleNames('flow.to', 'label', kind.to)];
  }
}

function toRuleNames(
  key: string,
  what: RuleName['what'],
  names: readonly string[],
  nameSet: RuleName['nameSet'] = 'all',
): RuleName[] {
  return names.map((name) => ({ key, name, what, nameSet }));
}

function isFound({ name, what, nameSet = 'all' }: RuleName, { tools, labels, servers, absent }: OfferedNames): boolean {
  switch (what) {
    case 'tool':
      return (
        name === '*' ||
        tools.some((tool) => matchesAnyName(namesOf(tool)[nameSet], name)) ||
        absent.some((server) => couldBelongTo(name, server))
      );
    case 'label':
      return labels.includes(name) || absent.length > 0;
    case 'server':
      return servers.some((server) => matchesNamePattern(server, name));
  }
}

/** Returns whether a tool of the server could have a matching name. */
function couldBelongTo(pattern: string, server: string): boolean {
  if (!pattern.startsWith('mcp__') && !pattern.startsWith('*')) return true;
  const [beginning = ''] = pattern.split('*', 1);
  const prefix = `mcp__${server}__`;
  return beginning.startsWith(prefix) || (pattern.includes('*') && prefix.startsWith(beginning));
}

/** Returns a warning for each rule that compares the prefix of a command or a path as text, which is easy to bypass. */
export function warnAboutPrefixes(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ id, at, kind }) =>
    kind.type !== 'match' || kind.when === true
      ? []
      : kind.when.prefixComparedArguments.map(
          (name) => `rule "${id}"${at === undefined ? '' : ` (${at})`} ${prefixWarning(name)}`,
        ),
  );
}

function prefixWarning(name: string): string {
  if (commandArguments.has(name))
    return `compares the beginning of args.${name}, which other commands can follow ("git x; curl …"); use shell(args.${name}).commands`;
  return `compares the beginning of args.${name}, which ".." and links can leave; use path(args.${name}).within('/dir')`;
}
