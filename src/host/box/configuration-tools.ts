import { join } from 'node:path';
import { EditsOfCalls } from '../../config/file/tool-call-edits.ts';
import { configurationTools } from '../../sources/local/builtin/configuration-tools.ts';
import type { ConfiguredBox } from './configured-box.ts';

/** Adds the tools by which agents read the configuration and change what little of it is theirs to change. */
export function offerConfiguration(configured: ConfiguredBox, data: string): void {
  const { box } = configured;
  const edits = new EditsOfCalls(
    () => configured.file,
    join(data, 'configuration-edits'),
    (text) => box.redact(text),
    (before, after) => configured.acceptEdit(before, after),
  );
  for (const tool of configurationTools(edits)) box.builtin?.add(tool);
}
