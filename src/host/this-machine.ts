import { homedir } from 'node:os';
import type { Machine } from '../config/import/clients/clients.ts';
import { environment } from './environment.ts';

/** Describes this machine for the import of servers. `directory` is that of the project. */
export function thisMachine(directory: string): Machine {
  const applicationData = environment['APPDATA'];
  return {
    home: homedir(),
    directory,
    platform: process.platform,
    ...(applicationData !== undefined && { applicationData }),
  };
}
