/** The anchor of a heading, as GitHub makes it. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{Letter}\p{Number}\p{Mark}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
