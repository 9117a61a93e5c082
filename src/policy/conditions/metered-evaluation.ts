import type { ASTNode } from '@marcbachmann/cel-js';
import { currentWork } from './running-evaluation.ts';
import { type CheckedNode, type Evaluate, isCelMap, meteredHandle } from './metered-operations.ts';
import { errorWork, partWork } from './work-costs.ts';

interface Comprehension {
  readonly iterable: CheckedNode;
  readonly step: CheckedNode;
  readonly errorsAreFatal: boolean;
  condition?: (value: unknown) => unknown;
}

let lastChargedError: unknown;

/**
 * Makes the library charge for its work. The library has no hook for that, so this modifies the nodes of a checked condition: operators
 * and functions charge for their operands, loops for each element, and errors are charged where the library catches them.
 * Returns the fixed units of one evaluation, which cover all parts outside loops.
 */
export function meterCondition(root: ASTNode): number {
  const node = root as unknown as CheckedNode;
  const parts = meterNode(node);
  chargeErrors(node);
  return parts * partWork;
}

/** Returns the number of parts that are evaluated at most once with the node. */
function meterNode(node: CheckedNode): number {
  const { alternate, macro } = node.meta;
  if (alternate !== undefined) return meterNode(alternate);
  if (macro !== undefined) return 1 + (macro.macroHasProps?.length ?? 0);
  const { op, handle } = node;
  if (op === 'value') return 0;
  if (op === 'comprehension') return meterLoop(node, node.args as Comprehension);
  let parts = 1;
  for (const each of childrenOf(node)) parts += meterNode(each);
  const [first] = childrenOf(node);
  if ((op === '&&' || op === '||') && first !== undefined) chargeErrors(first);
  if (handle !== undefined) node.handle = meteredHandle(node, handle);
  return parts;
}

/** Charges for an error that the evaluation of a node throws. Errors pass through several such nodes and are charged once. */
function chargeErrors(node: CheckedNode): void {
  const evaluate = evaluateOf(node);
  const units = errorWork + node.input.length;
  node.evaluate = (evaluator, self, context) => {
    try {
      return evaluate(evaluator, self, context);
    } catch (error) {
      if (error !== lastChargedError) currentWork().take(units);
      lastChargedError = error;
      throw error;
    }
  };
}

/** The library replaces `evaluate` with one of these on first use. */
function evaluateOf({ meta: { alternate, macro, evaluate } }: CheckedNode): Evaluate {
  if (alternate !== undefined) return (evaluator, _, context) => alternate.evaluate(evaluator, alternate, context);
  if (macro !== undefined) return (evaluator, _, context) => macro.evaluate(evaluator, macro, context);
  return evaluate;
}

function meterLoop(node: CheckedNode, loop: Comprehension): number {
  const parts = meterNode(loop.iterable) + 3;
  const perElement = (1 + meterNode(loop.step)) * partWork;
  const { condition, errorsAreFatal, step } = loop;
  if (!errorsAreFatal && condition !== undefined) {
    chargeErrors(step);
    // The library defers errors of `all` and `exists` to the end of the list. The budget is checked here, where it does not catch errors.
    loop.condition = (value) => {
      currentWork().charge(perElement);
      return condition(value);
    };
  } else {
    const evaluate = evaluateOf(step);
    step.evaluate = (evaluator, self, context) => {
      currentWork().charge(perElement);
      return evaluate(evaluator, self, context);
    };
  }
  const { handle } = node;
  if (handle !== undefined)
    node.handle = (items, ...rest) => {
      if (isCelMap(items)) currentWork().keysOf(items);
      return handle(items, ...rest);
    };
  return parts;
}

function childrenOf({ op, args }: CheckedNode): readonly CheckedNode[] {
  switch (op) {
    case 'value':
    case 'id':
    case 'accuValue':
    case 'accuInc':
      return [];
    case '.':
      return [(args as [CheckedNode])[0]];
    case 'call':
      return (args as [string, CheckedNode[]])[1];
    case 'rcall': {
      const [, receiver, rest] = args as [string, CheckedNode, CheckedNode[]];
      return [receiver, ...rest];
    }
    case 'map':
      return (args as CheckedNode[][]).flat();
    case '!_':
    case '-_':
    case 'accuPush':
      return [args as CheckedNode];
    default:
      return args as CheckedNode[];
  }
}
