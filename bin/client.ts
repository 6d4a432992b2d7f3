/** `npm run client`: generates the clients of the service and packs them for use in other projects. */
import { Command } from 'commander';
import { packForNpm } from './client/npm-package.ts';
import { writeClientTypes } from './client/types.ts';

const options = new Command('npm run client --')
  .description('Packs the typed client as an npm package: JavaScript with its types, to install or to publish.')
  .option('--folder <folder>', 'where to make it', 'dist/client')
  .option('--types', 'only generate the types of the client in this repository; pack nothing')
  .parse()
  .opts<{ folder: string; types?: true }>();

await writeClientTypes();
if (!options.types) console.log(packForNpm(options.folder));
