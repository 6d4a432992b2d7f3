import { invalidKeyText, unreachableText } from '../api-key.ts';

/** Returns the code of an error response. The AI SDK's client uses the response body as the error's message. */
export const parseErrorCode = (error: Error): string | undefined => parse(error.message).error;

/** Returns a sentence for the user about an error of the chat. */
export const describeChatError = (error: Error, hasKey = false): string => {
  if (error instanceof TypeError) return unreachableText;
  const { error: code, message = unknown } = parse(error.message);
  switch (code) {
    case 'invalid_api_key':
      return `${invalidKeyText} Enter another key, or continue without one.`;
    case 'rate_limited':
      return 'Too many requests. Wait a minute and try again.';
    case 'chat_budget_exhausted':
      return hasKey
        ? 'Today’s usage limit has been reached. Try again tomorrow.'
        : 'Today’s usage limit without an API key has been reached. Add a key, or try again tomorrow.';
    case 'payload_too_large':
      return 'This conversation is too long. Start a new one.';
    case 'invalid_request':
      return `The service rejected this message: ${message}`;
    case undefined:
      // An error inside an answer is a sentence of the service. Any other text is not shown.
      return /^[A-Z][^<>{}]*\.$/.test(error.message) && !error.message.startsWith('Failed to fetch')
        ? error.message
        : unknown;
    default:
      return message;
  }
};

const unknown = 'Something went wrong. Try again.';

const parse = (text: string): { error?: string; message?: string } => {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
};
