/** The fixture server over HTTP as a program of its own; prints its address. */
import { httpFixture } from '../../test/mcp-servers/http-fixture.ts';

const { url } = await httpFixture(process.argv[2] === 'modern' ? 'modern' : 'legacy');
console.log(url);
