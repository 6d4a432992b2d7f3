import type * as z from 'zod/mini';
import { objectComponent, textField, wholeField } from './describe.ts';
import { ApiError } from './errors.ts';

/** The position of an item in a batch request. */
export const ItemIndex = wholeField('Position of the item in the request, starting at 0.', 0);

/** An item of a batch request that failed without failing the others. */
export const FailedItem = objectComponent('FailedItem', 'An item that failed, and the reason.', {
  index: ItemIndex,
  error: textField(
    'One of the error codes, or `temporarily_unavailable`: the item was not processed in time. Send it again.',
    'call_not_found',
  ),
  message: textField('The cause, in a sentence for a person.', 'This agent has no such call.'),
});
export type FailedItem = z.infer<typeof FailedItem>;

/** Returns the failure of an item. An internal error is reported as a temporary one. */
export const failedItem = (index: number, error: Error): FailedItem =>
  error instanceof ApiError
    ? { index, error: error.code, message: error.message }
    : {
        index,
        error: 'temporarily_unavailable',
        message: 'This item could not be processed before the response was due. Send it again.',
      };
