import type { Wallet } from "asset-registry-client";
import { useState } from "react";
import { Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from "react-aria-components";
import type { AsMe } from "../../identity/use-my-registry.ts";
import { Button } from "../../parts/Button.tsx";
import { ForeignText } from "../../parts/ForeignText.tsx";
import { shortHex } from "../../parts/HexValue.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { problemInWords } from "../../service/problem-words.ts";
import { texts } from "../../texts/texts.ts";
import style from "./RemoveDialog.module.css";
import { removeWallet } from "./rules/remove-wallet.ts";

const words = texts.wallets.remove;

type RemoveDialogProps = { wallet: Wallet; asMe: AsMe; onRemoved(): void };

/** A button that asks whether to remove a wallet, and what follows from it. */
export function RemoveDialog({ wallet, asMe, onRemoved }: RemoveDialogProps) {
  const { id, name, ethereumAddress } = wallet;
  const [isRemoving, setRemoving] = useState(false);
  const [error, setError] = useState<unknown>();
  const remove = async (close: () => void) => {
    if (isRemoving) return;
    setError(undefined);
    setRemoving(true);
    try {
      await asMe((service) => removeWallet(service, id));
      close();
      onRemoved();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setRemoving(false);
    }
  };
  return (
    <DialogTrigger onOpenChange={() => setError(undefined)}>
      <Button aria-label={words.which(name.trim() === "" ? shortHex(ethereumAddress) : name)}>
        {words.button}
      </Button>
      <ModalOverlay className={style.overlay} isDismissable={!isRemoving}>
        <Modal className={style.modal}>
          <Dialog role="alertdialog" className={style.dialog}>
            {({ close }) => (
              <>
                <Heading slot="title" className={style.title}>
                  {words.title}
                </Heading>
                <p>
                  {name.trim() !== "" && (
                    <>
                      <ForeignText text={name} most={120} brief /> ·{" "}
                    </>
                  )}
                  <code>{shortHex(ethereumAddress)}</code>
                </p>
                <p>{words.effect}</p>
                {error !== undefined && (
                  <div role="alert">
                    <Notice tone="warn">{problemInWords(error)}</Notice>
                  </div>
                )}
                <div className={style.actions}>
                  <Button autoFocus onPress={close} isDisabled={isRemoving}>
                    {words.keep}
                  </Button>
                  <Button kind="danger" onPress={() => void remove(close)} isBusy={isRemoving}>
                    {isRemoving ? words.doing : words.confirm}
                  </Button>
                </div>
              </>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}
