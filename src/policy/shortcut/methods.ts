import type { ASTNode } from '@marcbachmann/cel-js';
import { namePattern } from '../../core/text/name-pattern.ts';
import { lowerAscii, upperAscii } from '../functions/ascii.ts';
import { likeWork, searchWork, textWork } from '../work-costs.ts';
import { type Code, type Compile, canBe, unsure, writtenText } from './code.ts';
import { datePart } from './dates.ts';

const tests: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
};

const changes: Readonly<Record<string, (text: string) => string>> = {
  lowerAscii,
  upperAscii,
  trim: (text) => text.trim(),
};

/** Methods of texts and of times. */
export function method(name: string, target: Code, args: readonly ASTNode[], compile: Compile): Code | undefined {
  const [first] = args;
  if (target.type === 'time') {
    const zone = writtenText(first);
    return args.length === (zone === undefined ? 0 : 1) ? datePart(name, target, zone) : undefined;
  }
  if (!canBe(target, 'string')) return undefined;
  if (first === undefined) return changed(name, target);
  return args.length === 1 ? tested(name, target, first, compile) : undefined;
}

function changed(name: string, { run }: Code): Code | undefined {
  const change = own(changes, name);
  if (change === undefined) return undefined;
  return {
    type: 'string',
    run: (scene) => {
      const text = run(scene);
      if (typeof text !== 'string') return unsure;
      scene.work.charge(textWork(text.length));
      return change(text);
    },
  };
}

function tested(name: string, { run }: Code, argument: ASTNode, compile: Compile): Code | undefined {
  const written = writtenText(argument);
  if (name === 'like' && written !== undefined) {
    const fits = namePattern(written);
    return {
      type: 'bool',
      run: (scene) => {
        const text = run(scene);
        if (typeof text !== 'string') return unsure;
        scene.work.charge(likeWork(text.length, written));
        return fits(text);
      },
    };
  }
  const test = own(tests, name);
  const part = compile(argument);
  if (test === undefined || part === undefined || !canBe(part, 'string')) return undefined;
  return {
    type: 'bool',
    run: (scene) => {
      const text = run(scene);
      const sought = part.run(scene);
      if (typeof text !== 'string' || typeof sought !== 'string') return unsure;
      scene.work.charge(name === 'contains' ? searchWork(text.length, sought.length) : textWork(sought.length));
      return test(text, sought);
    },
  };
}

function own<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
