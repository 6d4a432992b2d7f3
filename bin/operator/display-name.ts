import { limits } from '../../functions/domain/limits.ts';
import { text } from '../../functions/domain/text.ts';

/** The name of a user or a key. */
export const DisplayName = text(1, limits.nameCharacters);
