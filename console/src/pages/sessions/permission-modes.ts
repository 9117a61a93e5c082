import type { PermissionMode } from '../../api/schema.ts';

/** The name and the effects of a permission mode. */
interface ModeText {
  readonly mode: PermissionMode;
  readonly name: string;
  readonly about: string;
  /** For a mode that asks less often than the rules: the calls that run without asking, and a short warning. */
  readonly unasked?: { readonly calls: string; readonly warning: string; readonly tone: 'amber' | 'red' };
}

/** The permission modes, from the strictest to the most permissive. */
export const permissionModes: readonly ModeText[] = [
  { mode: 'plan', name: 'Plan', about: 'Only reads run.' },
  { mode: 'dontAsk', name: 'Do not ask', about: 'Calls that would ask are denied.' },
  { mode: 'default', name: 'Ask by policy', about: 'Calls ask where the rules ask.' },
  {
    mode: 'acceptEdits',
    name: 'Accept edits',
    about:
      'Reads and undoable calls run without asking. The rules decide other calls. Calls on protected files always ask.',
    unasked: {
      calls: 'Reads and undoable calls that the rules ask about will run without asking.',
      warning: 'edits run unasked',
      tone: 'amber',
    },
  },
  {
    mode: 'bypassPermissions',
    name: 'Bypass',
    about: 'Only calls on protected files ask. Calls that a rule denies stay denied.',
    unasked: {
      calls:
        'All calls that the rules ask about will run without asking, including calls that cannot be undone. Only calls on protected files will ask.',
      warning: 'calls run unasked',
      tone: 'red',
    },
  },
];

/** Returns the name and the effects of a mode. */
export function modeText(mode: PermissionMode): ModeText {
  return permissionModes.find((each) => each.mode === mode) ?? { mode, name: mode, about: '' };
}

/** Returns whether calls that ask in one mode run without asking in another. */
export function isWeakerMode(mode: PermissionMode, than: PermissionMode): boolean {
  const rank = (of: PermissionMode): number => permissionModes.findIndex((each) => each.mode === of);
  return modeText(mode).unasked !== undefined && rank(mode) > rank(than);
}
