import { duringInitialization } from '../http/during-initialization.ts';

/** Checks the format of the table while the function of a job, or of the table's stream, is initialized. */
export const warmUp = (): Promise<void> => duringInitialization();
