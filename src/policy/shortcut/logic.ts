import { type Code, canBe, unsure } from './code.ts';

/** `&&` decides by one side that is false, whatever is the matter with the other; `||` likewise by one that is true. */
export function both(left: Code | undefined, right: Code | undefined): Code | undefined {
  return joined(false, left, right);
}

/** See `both`. */
export function either(left: Code | undefined, right: Code | undefined): Code | undefined {
  return joined(true, left, right);
}

function joined(decisive: boolean, left: Code | undefined, right: Code | undefined): Code | undefined {
  if (left === undefined || right === undefined) return oneSide(decisive, left ?? right);
  if (!canBe(left, 'bool') || !canBe(right, 'bool')) return undefined;
  const [one, other] = [left.run, right.run];
  return {
    type: 'bool',
    run: (scene) => {
      const a = one(scene);
      if (a === decisive) return decisive;
      const b = other(scene);
      if (b === decisive) return decisive;
      return a === !decisive && b === !decisive ? !decisive : unsure;
    },
  };
}

/** The other side is known to CEL's evaluator alone. */
function oneSide(decisive: boolean, side: Code | undefined): Code | undefined {
  if (side === undefined || !canBe(side, 'bool')) return undefined;
  const { run } = side;
  return { type: 'bool', run: (scene) => (run(scene) === decisive ? decisive : unsure) };
}

/** `!x`. */
export function not(code: Code): Code | undefined {
  if (!canBe(code, 'bool')) return undefined;
  const { run } = code;
  return {
    type: 'bool',
    run: (scene) => {
      const value = run(scene);
      return typeof value === 'boolean' ? !value : unsure;
    },
  };
}

/** `x ? y : z`. */
export function choice(condition: Code, yes: Code, no: Code): Code | undefined {
  if (!canBe(condition, 'bool') || yes.type !== no.type) return undefined;
  const { run } = condition;
  return {
    type: yes.type,
    run: (scene) => {
      const value = run(scene);
      if (value === true) return yes.run(scene);
      return value === false ? no.run(scene) : unsure;
    },
  };
}
