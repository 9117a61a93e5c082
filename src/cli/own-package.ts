import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

let isRegistered = false;

/**
 * Lets tool modules `import … from 'signalbox'` where the package is not installed next to them: in a fresh clone,
 * or with a global installation. A package that is found the usual way comes first.
 */
export function offerOwnPackage(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier !== 'signalbox') return nextResolve(specifier, context);
      try {
        return nextResolve(specifier, context);
      } catch {
        return { url: ownEntry(), shortCircuit: true };
      }
    },
  });
}

function ownEntry(): string {
  const source = new URL('../index.ts', import.meta.url);
  return existsSync(fileURLToPath(source)) ? source.href : new URL('../index.js', import.meta.url).href;
}
