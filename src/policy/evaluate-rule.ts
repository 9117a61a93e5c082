import type { JsonObject } from '../model/json.ts';
import type { ToolDefinition } from '../model/tool.ts';
import type { Facts } from './facts.ts';
import { pathsIn } from './paths.ts';
import { matchesAny } from './patterns.ts';
import type { Rule, RuleKind } from './rule.ts';
import type { Scene } from './views.ts';
import { matchesPattern } from '../model/name-pattern.ts';

/** Everything a rule may look at for one call. */
export interface Situation {
  readonly tool: ToolDefinition;
  readonly arguments: JsonObject;
  /** The length of the arguments as JSON text. */
  readonly size: number;
  readonly now: number;
  readonly session: Facts;
  readonly principal: Facts;
  /** Whether the arguments hold something that was read under this label; looked for once. */
  readonly holdsValueOf: (label: string) => boolean;
  /** What conditions see; made when the first one asks. */
  readonly scene: () => Scene;
}

/** Why a rule holds for a call: what it says when its author gave no reason, and what it looked at. */
export interface Grounds {
  readonly reason: string;
  /** Made only for the rule that decides. */
  readonly values?: () => JsonObject;
}

/** Conditions that go through lists are not evaluated over arguments longer than this: they would take too long. */
const longestLooped = 64 * 1024;

/** Tells whether a rule can be about calls of a tool at all. */
export function concerns({ kind, scope }: Rule, tool: ToolDefinition): boolean {
  if (scope.servers !== undefined && !matchesAny(tool.id.server, scope.servers)) return false;
  switch (kind.kind) {
    case 'match':
      return matchesAny(tool.name, kind.match);
    case 'requires':
      return kind.targets.some(({ match }) => matchesPattern(tool.name, match));
    case 'readBeforeWrite':
      return matchesAny(tool.name, kind.track.write);
    case 'limit':
      return matchesAny(tool.name, kind.meter.match);
    case 'flow':
      return tool.labels.some((label) => kind.to.includes(label));
  }
}

/** Tells whether a rule holds for a call, and on what grounds. Throws when it cannot be told. */
export function groundsFor(kind: RuleKind, situation: Situation): Grounds | undefined {
  switch (kind.kind) {
    case 'match':
      return matchGrounds(kind, situation);
    case 'requires':
      return requiresGrounds(kind, situation);
    case 'readBeforeWrite':
      return readGrounds(kind, situation);
    case 'limit':
      return limitGrounds(kind, situation);
    case 'flow':
      return flowGrounds(kind, situation);
  }
}

type Kind<Name extends RuleKind['kind']> = Extract<RuleKind, { kind: Name }>;

function matchGrounds({ when }: Kind<'match'>, { scene, size }: Situation): Grounds | undefined {
  if (when === true) return { reason: 'the rule is about this tool' };
  if (when.loops && size > longestLooped)
    throw new Error(`the arguments have ${size} characters, too many to go through`);
  const seen = scene();
  return when.holds(seen) ? { reason: when.text, values: () => when.values(seen) } : undefined;
}

/** The last completed call of each step must be later than that of the step before it. */
function requiresGrounds({ targets, fresh }: Kind<'requires'>, { tool, session }: Situation): Grounds | undefined {
  for (const { match, steps } of targets) {
    if (!matchesPattern(tool.name, match)) continue;
    let before = fresh ? session.lastOk(match).seq : 0;
    let previous = fresh && before > 0 ? match : undefined;
    for (const step of steps) {
      const { seq } = session.lastOk(step);
      if (seq <= before) {
        const since = previous === undefined ? '' : ` after ${previous}`;
        const values = { [`lastOk(${step}).seq`]: seq, ...(previous && { [`lastOk(${previous}).seq`]: before }) };
        return { reason: `${step} must have completed${since} before ${tool.name}`, values: () => values };
      }
      before = seq;
      previous = step;
    }
  }
  return undefined;
}

function readGrounds({ track }: Kind<'readBeforeWrite'>, situation: Situation): Grounds | undefined {
  const given = situation.arguments;
  const paths = pathsIn(Object.hasOwn(given, track.path) ? given[track.path] : undefined);
  if (paths === undefined) throw new Error(`the argument "${track.path}" names no file`);
  const unknown = paths.find((path) => !situation.session.knows(track, path));
  if (unknown === undefined) return undefined;
  return { reason: `${unknown} was not read in this session`, values: () => ({ [`args.${track.path}`]: unknown }) };
}

function limitGrounds(limit: Kind<'limit'>, situation: Situation): Grounds | undefined {
  const { calls, cost, each, by, per } = limit;
  const reading = situation[by].reading(limit.meter, situation.now);
  const span = per === undefined ? `in this session` : `in ${per}`;
  if (calls !== undefined && reading.calls >= calls)
    return { reason: `${calls} calls ${span} are the limit`, values: () => ({ calls: reading.calls }) };
  if (cost === undefined) return undefined;
  const own = each === undefined ? 0 : each.of(situation.arguments);
  const isOver = each === undefined ? reading.cost >= cost : reading.cost + own > cost;
  if (!isOver) return undefined;
  return { reason: `a cost of ${cost} ${span} is the limit`, values: () => ({ cost: reading.cost, call: own }) };
}

function flowGrounds({ from, onlyValues }: Kind<'flow'>, situation: Situation): Grounds | undefined {
  const { session, tool } = situation;
  const seen = onlyValues ? [] : from.filter((label) => session.labels.has(label));
  if (seen.length > 0)
    return {
      reason: `the session has seen ${seen.join(', ')} data, and ${tool.name} sends it out`,
      values: () => ({ 'session.labels': [...session.labels], 'tool.labels': [...tool.labels] }),
    };
  if (!from.some((label) => situation.holdsValueOf(label))) return undefined;
  const values = (): JsonObject => ({ 'tool.labels': [...tool.labels] });
  return { reason: `the arguments hold something that was read as ${from.join(', ')} data`, values };
}
