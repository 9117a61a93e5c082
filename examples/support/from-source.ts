/** Lets an example import `signalbox` as a user would, and get the source beside it. Loaded by `node --import`. */
import { registerHooks } from 'node:module';

const source = new URL('../../src/index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'signalbox' ? { url: source, shortCircuit: true } : next(specifier, context),
});
