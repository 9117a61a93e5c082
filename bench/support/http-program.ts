/** Runs the fixture server over HTTP as a separate program. Prints its URL. */
import { httpFixture } from '../../test/mcp-servers/http-fixture.ts';

const { url } = await httpFixture(process.argv[2] === 'modern' ? 'modern' : 'legacy');
console.log(url);
