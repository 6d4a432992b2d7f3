// Removes the C headers of the installed Node, 67 MB that only builds of native packages read.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../node_modules/node/node_modules', import.meta.url));
for (const name of existsSync(packages) ? readdirSync(packages) : []) {
  rmSync(join(packages, name, 'include'), { recursive: true, force: true });
}
