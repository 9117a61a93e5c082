import type { Source } from '../source.ts';
import { cleanSource } from './clean-source.ts';
import { shapeSource } from './shape-source.ts';
import type { ToolShaping } from './tool-shaping.ts';

/** A server of the configuration as it goes into the catalog. Cleaned first: no hidden character slips past a deny pattern. */
export function configuredServer(server: Source, shaping: ToolShaping | undefined): Source {
  const clean = cleanSource(server);
  return shaping === undefined ? clean : { ...shapeSource(clean, shaping), isClean: true };
}
