/** An error of the chat in words for its reader. The AI SDK's client carries the body of a refusal as the message. */
export const wordsOf = (error: Error): string => {
  if (error instanceof TypeError) return 'The service cannot be reached. Look at your connection, and try again.';
  const { error: code, message = unknown } = refusalIn(error.message);
  switch (code) {
    case 'invalid_api_key':
      return 'This API key is not valid, or no longer. Give another one, or go on without.';
    case 'rate_limited':
      return 'That was a lot at once. Wait a minute, and try again.';
    case 'chat_budget_exhausted':
      return 'The assistant has done all it may for today. Come back tomorrow.';
    case 'payload_too_large':
      return 'This conversation has become too long. Begin a new one.';
    case 'invalid_request':
      return `The service did not take this message: ${message}`;
    case undefined:
      // The sentence of an error in mid-answer; of what is no sentence of the service's, nothing is shown.
      return /^[A-Z][^<>{}]*\.$/.test(error.message) && !error.message.startsWith('Failed to fetch')
        ? error.message
        : unknown;
    default:
      return message;
  }
};

const unknown = 'Something went wrong. Try again.';

const refusalIn = (text: string): { error?: string; message?: string } => {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
};
