import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInThisContext } from 'node:vm';
import { SignalboxError } from '../../../core/errors.ts';
import { sourceModule } from './source-module.ts';

type Handler = (...args: unknown[]) => unknown;

/** Evaluates the source of a handler. Text, so that no formatter changes it. */
function handlerFrom(text: string): Handler {
  return runInThisContext(`(() => { const key = 'a]b'; return ${text}; })()`) as Handler;
}

const accepted: Record<string, string> = {
  'an arrow function': '({ n }) => n + 1',
  'an async arrow function': 'async ({ n }) => n + 1',
  'an arrow function in parentheses with comments': '(({ n }) => n + 1 /* a */ // b\n)',
  'a function expression': '(function ({ n }) { return n + 1; })',
  'a named async function': '(async function named({ n }) { return n + 1; })',
  'a recursive function': '(function count({ n }) { return n < 42 ? count({ n: n + 1 }) : n; })',
  'a method': '({ run({ n }) { return n + 1; } }).run',
  'an async method': '({ async run({ n }) { return n + 1; } }).run',
  'a method with a quoted name': '({ "run it"({ n }) { return n + 1; } })["run it"]',
  'a method with a number as name': '({ 7({ n }) { return n + 1; } })[7]',
  'a method with a computed name': '({ [`${[key][0]}]`]({ n }) { return [n + 1][0]; } })["a]b]"]',
  'an async method with a computed name': '({ async [key]({ n }) { return n + 1; } })[key]',
  'a method called get': '({ get({ n }) { return n + 1; } }).get',
  'a method called set': '({ set ({ n }) { return n + 1; } }).set',
  'a method called async': '({ async({ n }) { return n + 1; } }).async',
  'a method called function': '({ function({ n }) { return n + 1; } }).function',
  'a method called class': '({ class({ n }) { return n + 1; } }).class',
  'a method called __proto__': 'Object.values({ __proto__({ n }) { return n + 1; } })[0]',
  'a static method': '(class { static run({ n }) { return n + 1; } }).run',
  'a handler with names that esbuild added': '({ n }) => { const add = __name(() => n + 1, "add"); return add(); }',
  'a handler that imports a node module':
    'async ({ n }) => (await import("node:crypto")).createHash("sha1").digest().length + n - 19',
  'a handler with a lone surrogate in it': '({ n }) => n + "\uD800".length',
};
for (const [kind, text] of Object.entries(accepted)) {
  test(`sourceModule accepts ${kind}`, async () => {
    const module = (await import(sourceModule('probe', handlerFrom(text)))) as { default: Handler };
    assert.equal(await module.default({ n: 41 }), 42);
  });
}

test('sourceModule accepts an async generator method', async () => {
  const handler = handlerFrom('({ async *run() { yield 1; } }).run');
  const module = (await import(sourceModule('probe', handler))) as { default: () => AsyncIterable<number> };
  for await (const value of module.default()) assert.equal(value, 1);
});

const refused: Record<string, [text: string, message: RegExp]> = {
  'a native function': ['Math.max', /"probe".*native.*isolate: import\.meta\.url/],
  'a bound function': ['(() => 1).bind(null)', /bound/],
  'a proxy of a function': ['new Proxy(() => 1, {})', /proxy/],
  'a getter': ['Object.getOwnPropertyDescriptor({ get run() { return 1; } }, "run").get', /getter or setter/],
  'a setter': ['Object.getOwnPropertyDescriptor({ set run(value) {} }, "run").set', /getter or setter/],
  'a class': ['(class {})', /class/],
  'a private method': ['(class { static #run() {} static run = this.#run; }).run', /does not parse on its own/],
};
for (const [kind, [text, message]] of Object.entries(refused)) {
  test(`sourceModule rejects ${kind}`, () => {
    assert.throws(
      () => sourceModule('probe', handlerFrom(text)),
      (error) => error instanceof SignalboxError && error.code === 'tool-invalid' && message.test(error.message),
    );
  });
}

test('sourceModule runs no code of the handler', () => {
  const handler = handlerFrom('({ [(globalThis.named = (globalThis.named ?? 0) + 1, "x")]() {} }).x');
  sourceModule('probe', handler);
  assert.equal(Reflect.get(globalThis, 'named'), 1);
  Reflect.deleteProperty(globalThis, 'named');
});
