const forAnyone = [
  'How do I block a phone number?',
  'Draft a receptionist for a dental practice',
  'Check +1 (415) 555-0100 and 030 1234567',
];
const withKey = ['Show my agents', 'Create an agent called Reception'];
/** About the agent of the demo data. */
const inDemo = ['Show the calls of the Front desk', 'Change the greeting of the Front desk to "Good morning!"'];

type Props = { hasKey: boolean; isFakeModel: boolean; onChoose(text: string): void };

/** Shown in an empty conversation: examples of a first message. */
export const Suggestions = ({ hasKey, isFakeModel, onChoose }: Props) => (
  <div className="suggestions">
    <h2>What do you want to build?</h2>
    <p>
      I search the documentation of this API, draft agents and check phone numbers.{' '}
      {hasKey
        ? 'With your key I can also read your agents and, when you approve, create and change them.'
        : 'Add your API key, and I can also read your agents and, when you approve, create and change them.'}
    </p>
    <ul>
      {[...(hasKey ? withKey : []), ...(hasKey && isFakeModel ? inDemo : []), ...forAnyone].map((text) => (
        <li key={text}>
          <button type="button" className="quiet" onClick={() => onChoose(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  </div>
);
