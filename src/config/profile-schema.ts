import { choice, flag, strict, texts } from './schema-parts.ts';

/** What a profile says, as `ProfileSettings` has it. */
export function profileSchema() {
  return strict({
    servers: texts.exactOptional(),
    tools: texts.exactOptional(),
    disclosure: choice(['auto', 'always', 'never']).exactOptional(),
    names: choice(['full', 'own']).exactOptional(),
    trustsHuman: flag.exactOptional(),
  });
}
