import type { Source } from '../source.ts';
import { sanitizeContent } from './sanitize-content.ts';
import { sanitized } from './sanitized.ts';
import { shapeSource } from './shape-source.ts';
import type { ToolShaping } from './tool-shaping.ts';
import { transformSource } from './transform-source.ts';

/** A server of the configuration as it goes into the catalog. Cleaned first: no hidden character slips past a deny pattern. */
export function configuredServer(server: Source, shaping: ToolShaping | undefined): Source {
  const clean = transformSource(sanitizeContent(server), sanitized());
  return shaping === undefined ? clean : shapeSource(clean, shaping);
}
