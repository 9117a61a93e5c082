import type { ReadClient } from '../found-server.ts';
import { noPlaceholders } from './placeholders.ts';
import { readUsualFile } from './standard-clients.ts';

/** `claude_desktop_config.json`. */
export const readClaudeDesktop: ReadClient = (text, context) => readUsualFile(text, context, noPlaceholders);
