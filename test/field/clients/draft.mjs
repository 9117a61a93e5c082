import { tryClients } from './try-clients.ts';
import { PackageCache } from '../package-cache.ts';
const { clients } = await import('./clients.ts');
const [only = ''] = process.argv.slice(2);
await tryClients(clients.filter(c => c.name.includes(only)), new PackageCache(), (r) => { console.log(r.name, Object.entries(r.steps).map(([n, s]) => n + ':' + s.kind).join(' ')); for (const [n, s] of Object.entries(r.steps)) if (s.reason) console.log('   ', n, s.reason.slice(0, 300)); });
process.exit(0);
