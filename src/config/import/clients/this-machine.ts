import { homedir } from 'node:os';
import type { Machine } from './clients.ts';

/** The machine we run on, seen from a project's directory. */
export function thisMachine(directory: string): Machine {
  const applicationData = process.env['APPDATA'];
  return {
    home: homedir(),
    directory,
    platform: process.platform,
    ...(applicationData !== undefined && { applicationData }),
  };
}
