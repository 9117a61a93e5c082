import { z } from 'zod';
import { flag, strict, texts } from './schema-parts.ts';

/** What a profile says, as `ProfileSettings` has it. */
export function profileSchema() {
  return strict({
    servers: texts.exactOptional(),
    tools: texts.exactOptional(),
    disclosure: z.enum(['auto', 'always', 'never'], 'one of "auto", "always", "never"').exactOptional(),
    names: z.enum(['full', 'own'], 'one of "full", "own"').exactOptional(),
    trustsHuman: flag.exactOptional(),
  });
}
