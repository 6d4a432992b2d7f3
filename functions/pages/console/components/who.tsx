import { useService } from '../service.tsx';

type WhoProps = { uid?: string | undefined; keyId?: string | undefined; keyName?: string | undefined };

/** Who did something: “You” for the present key, otherwise the name of the key, with the id of the key and another user. */
export const Who = ({ uid, keyId, keyName }: WhoProps) => {
  const own = useService();
  if (keyId === own.keyId) return <>You</>;
  const user = uid !== undefined && uid !== own.uid && <bdi className="faint"> {uid}</bdi>;
  if (keyId === undefined) return <>The operator</>;
  return (
    <span title={keyId}>
      {keyName ? <bdi>{keyName}</bdi> : <code>{keyId}</code>}
      {user}
    </span>
  );
};
