import type { ASTNode } from '@marcbachmann/cel-js';
import { durationMs } from '../../core/text/duration.ts';
import type { PastCall } from '../facts.ts';
import type { WindowMeters } from '../language.ts';
import type { Scene } from '../scene.ts';
import { historyWork, textWork } from '../work-costs.ts';
import { type Code, type Compile, type Run, canBe, unsure, writtenText } from './code.ts';

const latest = 8.64e15;

/** A time as a Date would keep it; what it would not keep as it is, only CEL's evaluator knows. */
function time(of: (scene: Scene) => number): Code {
  return {
    type: 'time',
    run: (scene) => {
      const at = of(scene);
      return Number.isSafeInteger(at) && Math.abs(at) <= latest ? at : unsure;
    },
  };
}

function text(of: Run): Code {
  return {
    type: 'string',
    run: (scene) => {
      const value = of(scene);
      return typeof value === 'string' ? value : unsure;
    },
  };
}

function whole(of: (scene: Scene) => number): Code {
  return {
    type: 'int',
    run: (scene) => {
      const value = of(scene);
      return Number.isSafeInteger(value) ? value : unsure;
    },
  };
}

function counting(of: (scene: Scene) => number): Code {
  return whole((scene) => {
    scene.work.charge(historyWork);
    return of(scene);
  });
}

/** The names that are values themselves. */
export const variables: ReadonlyMap<string, Code> = new Map<string, Code>([
  ['args', { type: 'map', run: ({ args }) => args }],
  ['now', time(({ seen }) => seen.at)],
]);

/** `tool.name` and its like. */
export const fields: ReadonlyMap<string, Code> = new Map<string, Code>([
  ['call.id', text(({ seen }) => seen.id)],
  ['call.time', time(({ seen }) => seen.at)],
  ['tool.name', text(({ tool }) => tool.name)],
  ['tool.server', text(({ tool }) => tool.server)],
  ['tool.effect', text(({ tool }) => tool.effect)],
  ['tool.labels', { type: 'strings', run: ({ tool }) => tool.labels }],
  ['principal.id', text(({ seen }) => seen.principal.id)],
  ['principal.kind', text(({ seen }) => seen.principal.kind)],
  ['session.id', text(({ seen }) => seen.session ?? '')],
  ['session.labels', { type: 'strings', run: ({ facts }) => facts.labels }],
  ['session.cost', { type: 'double', run: ({ facts }) => facts.cost }],
]);

/** `session.last('x').seq` and its like. */
export function pastField(call: ASTNode, field: string): Code | undefined {
  if (call.op !== 'rcall') return undefined;
  const [method, , [argument]] = call.args;
  const pattern = writtenText(argument);
  if (pattern === undefined || (method !== 'last' && method !== 'lastOk')) return undefined;
  const past = ({ facts, work }: Scene): PastCall => {
    work.charge(historyWork);
    return method === 'last' ? facts.last(pattern) : facts.lastOk(pattern);
  };
  switch (field) {
    case 'seq':
      return whole((scene) => past(scene).seq);
    case 'at':
      return time((scene) => past(scene).at);
    case 'args':
      return { type: 'map', run: (scene) => past(scene).args };
    default:
      return undefined;
  }
}

/** `session.count(…)` and `session.hasRead(…)`. */
export function sessionMethod(
  name: string,
  [first, second]: readonly ASTNode[],
  compile: Compile,
  meters: WindowMeters,
): Code | undefined {
  const pattern = writtenText(first);
  if (name === 'count' && pattern !== undefined) {
    const window = writtenText(second);
    if (second === undefined) return counting(({ facts }) => facts.count(pattern));
    if (window === undefined || durationMs(window) === undefined) return undefined;
    const meter = meters.of(pattern, window);
    return counting(({ facts, seen }) => facts.reading(meter, seen.at).calls);
  }
  const path = name === 'hasRead' && first !== undefined ? compile(first) : undefined;
  if (path === undefined || !canBe(path, 'string')) return undefined;
  const { run } = path;
  return {
    type: 'bool',
    run: (scene) => {
      const value = run(scene);
      if (typeof value !== 'string') return unsure;
      scene.work.charge(historyWork + textWork(Math.min(value.length, 4096)));
      return scene.facts.hasRead(value);
    },
  };
}
