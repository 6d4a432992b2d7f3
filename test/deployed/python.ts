import { join } from 'node:path';
import { pythonPrograms as programsOf } from '../../bin/client/python-environment.ts';

export { PythonMissingError } from '../../bin/client/python-environment.ts';

/** The folder of the Python programs that the emulated deployment runs. */
export const pythonPrograms = () => programsOf(join(import.meta.dirname, 'requirements.txt'));
