// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title TestWallet
/// @notice A wallet of two owners, whose signatures it wants one behind the other, 130 bytes. It can be told to
/// answer in every wrong way.
contract TestWallet {
    /// @notice What the wallet answers about a signature.
    enum Answer {
        Honest,
        WrongMagic,
        DirtyMagic,
        FourBytes,
        Nothing,
        Reverts,
        Loops,
        MegabyteOfJunk,
        MegabyteAfterMagic,
        ChangesState
    }

    Answer public answer;
    uint256 public asked;
    address private immutable _FIRST;
    address private immutable _SECOND;

    constructor(address first, address second) {
        (_FIRST, _SECOND) = (first, second);
    }

    /// @notice Decides what the wallet answers from now on.
    /// @param next The answer.
    function setAnswer(Answer next) external {
        answer = next;
    }

    /// @notice Makes a call as the wallet.
    /// @param target The contract to call.
    /// @param data The call.
    /// @return What the target returned.
    function execute(address target, bytes calldata data) external returns (bytes memory) {
        return Address.functionCall(target, data);
    }

    /// @notice ERC-1271, though not a view: a wallet that writes here must find that it cannot.
    /// @param hash What was signed.
    /// @param signature The signatures of both owners.
    /// @return The selector of this function where both are right.
    function isValidSignature(bytes32 hash, bytes calldata signature) external returns (bytes4) {
        if (answer == Answer.WrongMagic) return 0x1626ba7f;
        if (answer == Answer.Reverts) revert("never");
        while (answer == Answer.Loops) {}
        if (answer == Answer.ChangesState) ++asked;
        if (answer == Answer.DirtyMagic) _return(type(uint224).max, 32);
        if (answer == Answer.FourBytes) _return(0, 4);
        if (answer == Answer.Nothing) _return(0, 0);
        if (answer == Answer.MegabyteOfJunk) _return(type(uint224).max, 1 << 20);
        if (answer == Answer.MegabyteAfterMagic) _return(0, 1 << 20);

        bool valid =
            signature.length == 130 &&
                ECDSA.recover(hash, signature[:65]) == _FIRST &&
                ECDSA.recover(hash, signature[65:]) == _SECOND;
        return valid ? this.isValidSignature.selector : bytes4(0);
    }

    function _return(uint224 tail, uint256 size) private pure {
        uint256 word = (uint256(uint32(0x1626ba7e)) << 224) | tail;
        assembly {
            mstore(0, word)
            return(0, size)
        }
    }
}
