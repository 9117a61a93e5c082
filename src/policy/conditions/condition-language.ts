import { Environment, type RegisteredFunctionHandler } from '@marcbachmann/cel-js';
import { parseDurationMs } from '../../core/text/duration.ts';
import { matchesNamePattern } from '../../core/text/name-pattern.ts';
import { PathLocation } from './functions/path-location.ts';
import { ShellCommand, ShellScript, parseShell, shellWork } from './functions/shell-commands.ts';
import { currentEvaluation } from './running-evaluation.ts';
import type { Meter } from '../facts/meter.ts';
import type { WorkBudget } from './work-budget.ts';
import { CallView, PastCallView, PrincipalView, SessionView, ToolView } from './condition-input.ts';

const timestamp = 'google.protobuf.Timestamp';
const arithmetic: readonly (readonly [string, (left: number, right: number) => number])[] = [
  ['+', (left, right) => left + right],
  ['-', (left, right) => left - right],
  ['*', (left, right) => left * right],
  ['/', (left, right) => left / right],
];

/** The meters that `session.count(pattern, window)` reads: one for each pair in a policy. */
export class WindowMeters {
  readonly #meters = new Map<string, Meter>();

  of(pattern: string, window: string): Meter {
    const key = `${window} ${pattern}`;
    let meter = this.#meters.get(key);
    if (meter === undefined) {
      meter = { match: [pattern], windowMs: parseDurationMs(window), costExpression: undefined };
      this.#meters.set(key, meter);
    }
    return meter;
  }

  all(): readonly Meter[] {
    return [...this.#meters.values()];
  }
}

/** Returns the language of conditions: CEL with variables and functions for a call. */
export function conditionLanguage(meters: WindowMeters): Environment {
  return register(baseConditionLanguage.clone(), {
    'Session.count(string, string): int': (session: SessionView, name: string, window: string) =>
      session.countIn(meters.of(name, window)),
  });
}

/** Returns the language for the cost of a call in a budget: CEL with access to the arguments only. */
export function costLanguage(): Environment {
  return base.clone().registerVariable('args', 'map<string, dyn>');
}

const base = baseLanguage();
/** Created once, because a copy takes a tenth of the time. */
const baseConditionLanguage = base
  .clone()
  .registerType('Call', { ctor: CallView, fields: { id: 'string', time: timestamp } })
  .registerType('Tool', {
    ctor: ToolView,
    fields: { name: 'string', server: 'string', effect: 'string', labels: 'list<string>', annotations: 'map' },
  })
  .registerType('Principal', { ctor: PrincipalView, fields: { id: 'string', kind: 'string' } })
  .registerType('PastCall', { ctor: PastCallView, fields: { seq: 'int', at: timestamp, args: 'map<string, dyn>' } })
  .registerType('Session', { ctor: SessionView, fields: { id: 'string', labels: 'list<string>', cost: 'double' } })
  .registerType('Path', { ctor: PathLocation, fields: {} })
  .registerType('ShellCommand', {
    ctor: ShellCommand,
    fields: { name: 'string', words: 'list<string>', isLiteral: 'bool' },
  })
  .registerType('Shell', { ctor: ShellScript, fields: { commands: 'list<ShellCommand>', hasSubstitution: 'bool' } })
  .registerVariable('call', 'Call')
  .registerVariable('args', 'map<string, dyn>')
  .registerVariable('tool', 'Tool')
  .registerVariable('principal', 'Principal')
  .registerVariable('session', 'Session')
  .registerVariable('now', timestamp);
register(baseConditionLanguage, {
  'path(string): Path': pathOf,
  'Path.within(string): bool': isWithin,
  'shell(string): Shell': shellOf,
  'Session.last(string): PastCall': (session: SessionView, name: string) => session.last(name),
  'Session.lastOk(string): PastCall': (session: SessionView, name: string) => session.lastOk(name),
  'Session.count(string): int': (session: SessionView, name: string) => session.count(name),
  'Session.hasRead(string): bool': (session: SessionView, path: string) => session.hasRead(path),
});

/** Adds synchronous functions. */
function register(language: Environment, functions: Readonly<Record<string, RegisteredFunctionHandler>>): Environment {
  for (const [signature, handler] of Object.entries(functions))
    language.registerFunction(signature, handler, { async: false });
  return language;
}

/** The work for each name of a path, which takes a lookup in the file system. */
const pathWork = 3000;
const namesWork = 2000;

function pathOf(text: string): PathLocation {
  const { conditionCall } = currentEvaluation();
  return new PathLocation(text, conditionCall?.directory, conditionCall?.startDirectory);
}

function isWithin(path: PathLocation, directory: string): boolean {
  currentEvaluation().work.charge(pathWork + path.names * namesWork);
  return path.within(directory);
}

const parsedTexts = new WeakMap<WorkBudget, Map<string, ShellScript>>();

/** Parses a text once for all rules of a call. */
function shellOf(text: string): ShellScript {
  const { work } = currentEvaluation();
  let known = parsedTexts.get(work);
  if (known === undefined) parsedTexts.set(work, (known = new Map()));
  let script = known.get(text);
  if (script === undefined) {
    work.charge(shellWork(text));
    known.set(text, (script = parseShell(text)));
  }
  return script;
}

function baseLanguage(): Environment {
  const limits = { maxAstNodes: 1000, maxDepth: 50, maxListElements: 500, maxMapEntries: 500, maxCallArguments: 4 };
  const environment = register(new Environment({ homogeneousAggregateLiterals: false, limits }), {
    'string.like(string): bool': matchesNamePattern,
  });
  // Numbers in arguments are doubles, as in all JSON, but integer literals are ints. Strict CEL would not add the two.
  for (const [operator, apply] of arithmetic) {
    environment.registerOperator(`double ${operator} int: double`, (left: number, right: bigint) =>
      apply(left, Number(right)),
    );
    environment.registerOperator(`int ${operator} double: double`, (left: bigint, right: number) =>
      apply(Number(left), right),
    );
  }
  return environment;
}
