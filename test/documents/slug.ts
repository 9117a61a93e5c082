/** Returns the anchor of a heading, as on GitHub. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{Letter}\p{Number}\p{Mark}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
