/** Resolves imports of `signalbox` to the source of this repository. Load it with `node --import`. */
import { registerHooks } from 'node:module';
import manifest from '../../package.json' with { type: 'json' };

/** The source files of the entry points, by the name that a user imports. */
const sources = new Map(
  Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [[path.replace('.', manifest.name), new URL(sourceOf(target.default), import.meta.url).href] as const],
  ),
);

function sourceOf(built: string): string {
  return built.replace('./dist/', '../../src/').replace(/\.js$/, '.ts');
}

registerHooks({
  resolve(specifier, context, next) {
    const url = sources.get(specifier);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
});
