const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The page on which a sign-in ends. */
export function callbackPage(isSignedIn: boolean, text: string): string {
  const title = isSignedIn ? 'Signed in' : 'Not signed in';
  const safe = text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Signalbox</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.6rem; }
</style>
<h1>${title}</h1>
<p>${safe}</p>
`;
}
