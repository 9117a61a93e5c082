import type { ASTNode } from '@marcbachmann/cel-js';
import { shortcutPartWork } from '../work-costs.ts';
import { type Code, canBe, countParts, unsure } from './code.ts';
import { isList, isPlain, isSingle } from './json-access.ts';

/** `list.all(x, …)` and `list.exists(x, …)`: one element decides, whatever is the matter with the others. */
export function loop(
  name: string,
  list: Code,
  [variable, predicate]: readonly ASTNode[],
  compileInside: (node: ASTNode, variable: string) => Code | undefined,
): Code | undefined {
  if ((name !== 'all' && name !== 'exists') || list.type !== 'json') return undefined;
  if (variable?.op !== 'id' || predicate === undefined) return undefined;
  const inner = compileInside(predicate, variable.args);
  if (inner === undefined || !canBe(inner, 'bool')) return undefined;
  const decisive = name === 'exists';
  const perElement = (1 + countParts(predicate)) * shortcutPartWork;
  return {
    type: 'bool',
    run: (scene) => {
      const elements = list.run(scene);
      if (!isList(elements)) return unsure;
      let answer: unknown = !decisive;
      for (const element of elements) {
        if (!isSingle(element) && !isPlain(element) && !isList(element)) return unsure;
        scene.work.charge(perElement);
        scene.item = element;
        const value = inner.run(scene);
        if (value === decisive) return decisive;
        if (value !== !decisive) answer = unsure;
      }
      return answer;
    },
  };
}
