import type { Source } from '../source.ts';
import { sanitizeContent } from './sanitize-content.ts';
import { sanitized } from './sanitized.ts';
import { transformSource } from './transform-source.ts';

/** A source that says nothing hidden, and whose suspicious tools are noticed. Code of this process, and what is clean already, is left as it is. */
export function cleanSource(source: Source): Source {
  if (source.isClean === true || source.adapter.startsWith('local:')) return source;
  return { ...transformSource(sanitizeContent(source), sanitized()), isClean: true };
}
