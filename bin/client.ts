/** `npm run client`: generates the clients of the service and packs them for use in other projects. */
import { Command } from 'commander';
import { packForNpm } from './client/npm-package.ts';
import { PythonMissingError } from './client/python-environment.ts';
import { packForPython } from './client/python-package.ts';
import { writeClientTypes } from './client/types.ts';

const command = new Command('npm run client --')
  .description(
    'Packs a typed client of the service: an npm package, or a Python wheel with --python. It prints the path of the archive.',
  )
  .option('--python', 'pack the Python client; needs Python 3.11 or newer')
  .option('--folder <folder>', 'where to make it (default: dist/client or dist/client-python)')
  .option('--types', 'only generate the types of the client in this repository; pack nothing')
  .parse();
const options = command.opts<{ python?: true; folder?: string; types?: true }>();

if (options.python) {
  try {
    console.log(packForPython(options.folder ?? 'dist/client-python'));
  } catch (error) {
    if (error instanceof PythonMissingError) command.error(error.message);
    throw error;
  }
} else {
  await writeClientTypes();
  if (!options.types) console.log(packForNpm(options.folder ?? 'dist/client'));
}
