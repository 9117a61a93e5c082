import { compileFunction } from 'node:vm';
import { messageOf, SignalboxError } from '../../../core/errors.ts';

/** Returns the `data:` URL of a module whose default export is the handler, built from the handler's source text. */
export function sourceModule(tool: string, handler: (...args: never[]) => unknown): string {
  const text = Function.prototype.toString.call(handler);
  if (/\{\s*\[native code\]\s*\}$/.test(text)) {
    throw invalid(tool, 'a native or bound function, or a proxy of one, has no source text to run in a worker');
  }
  const expression = asExpression(tool, text);
  // Builds made with esbuild or tsx wrap inner functions in a helper of this name.
  const module = `const __name = (value) => value;\nexport default ${expression};\n`;
  return `data:text/javascript;base64,${Buffer.from(module).toString('base64')}`;
}

function asExpression(tool: string, text: string): string {
  const problem = syntaxProblem(`(${text}\n)`);
  if (problem === undefined) {
    if (/^class\b/.test(text)) throw invalid(tool, 'its handler is a class');
    return `(${text}\n)`;
  }
  for (const method of [...withoutComputedName(text), text]) {
    if (syntaxProblem(`({ ${method}\n})`) !== undefined) continue;
    // A method called `get` may be async, a getter may not, which distinguishes them without running anything.
    if (/^[gs]et\b/.test(method) && syntaxProblem(`({ async ${method}\n})`) !== undefined) {
      throw invalid(tool, 'its handler is a getter or setter');
    }
    return `Object.values({ ${method}\n})[0]`;
  }
  throw invalid(tool, `the source text of its handler does not parse on its own (${problem})`);
}

/** Returns the method under a plain name, since a computed name depends on its original scope. */
function* withoutComputedName(text: string): Generator<string> {
  const start = /^(?:async\s*)?(?:\*\s*)?(?=\[)/.exec(text);
  if (start === null) return;
  const opening = start[0].length;
  for (let closing = text.indexOf(']', opening); closing !== -1; closing = text.indexOf(']', closing + 1)) {
    const name = text.slice(opening, closing + 1);
    if (syntaxProblem(`(${name}\n)`) === undefined) yield `${start[0]}run${text.slice(closing + 1)}`;
  }
}

function syntaxProblem(code: string): string | undefined {
  try {
    // Strict like the module. This only parses.
    compileFunction(`'use strict';${code}`);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function invalid(tool: string, problem: string): SignalboxError {
  return new SignalboxError(
    'tool-invalid',
    `The tool "${tool}" cannot be isolated: ${problem}. ` +
      'Write run as a function of its own, or use isolate: import.meta.url.',
  );
}
