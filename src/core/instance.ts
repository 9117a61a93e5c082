import { newId } from './identifiers.ts';

/** What this process is called. Its MCP endpoint says so with every answer: who mounts it then knows when that is itself. */
export const instance = { header: 'signalbox-instance', id: newId('box') } as const;
