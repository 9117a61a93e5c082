/** The fixture as a program, see `stdio-program.ts`. Signalbox gives its servers an environment of their own, which names no cache. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'tests'));
await import('./stdio-program.ts');
