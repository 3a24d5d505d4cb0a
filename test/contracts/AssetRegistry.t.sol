// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AssetRegistry} from "../../contracts/AssetRegistry.sol";
import {IAssetRegistry} from "../../contracts/interfaces/IAssetRegistry.sol";
import {LinkHandler} from "./LinkHandler.sol";
import {vm} from "./Vm.sol";

/// @title AssetRegistryTest
/// @notice What holds for any input, and after any order of calls.
contract AssetRegistryTest {
    AssetRegistry private _registry;
    LinkHandler private _handler;

    function setUp() public {
        _registry = new AssetRegistry();
        _handler = new LinkHandler();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    function testFuzz_IdIsTheDigestOfContentAndAuthor(
        address author,
        bytes32 salt,
        IAssetRegistry.AssetDetails memory details
    ) public view {
        require(_registry.assetId(author, salt, details) == _digest(author, salt, details), "digest");
    }

    function testFuzz_IdFollowsTheChain(uint64 chain, IAssetRegistry.AssetDetails memory details) public {
        if (chain == block.chainid) return;
        bytes32 before = _registry.assetId(address(this), 0, details);
        vm.chainId(chain);
        bytes32 id = _registry.assetId(address(this), 0, details);
        require(id != before, "same id on two chains");
        require(id == _digest(address(this), 0, details), "digest");
    }

    function testFuzz_TextsThatMoveBetweenNeighboursGiveOtherIds(bytes calldata text) public view {
        uint256 length = text.length > 16 ? 16 : text.length;
        for (uint256 left = 0; left < 7; ++left) {
            bytes32[] memory ids = new bytes32[](length + 1);
            for (uint256 cut = 0; cut <= length; ++cut) {
                string[8] memory texts;
                texts[left] = string(text[:cut]);
                texts[left + 1] = string(text[cut:length]);
                ids[cut] = _registry.assetId(address(this), 0, _details(texts));
                for (uint256 other = 0; other < cut; ++other) {
                    require(ids[other] != ids[cut], "two splits share an id");
                }
            }
        }
    }

    function testFuzz_CreationIsKeptForItsCallerOnly(
        address author,
        bytes32 salt,
        IAssetRegistry.AssetDetails memory details,
        uint40 time
    ) public {
        if (author == address(0) || time == 0 || bytes(details.name).length == 0) return;
        vm.warp(time);
        vm.prank(author);
        bytes32 id = _registry.createAsset(salt, details);

        require(id == _registry.assetId(author, salt, details), "id");
        require(_registry.assetOf(id).author == author, "author");
        require(_registry.assetOf(id).createdOn == time, "createdOn");
        vm.expectRevert(abi.encodeWithSelector(IAssetRegistry.AssetExists.selector, id));
        vm.prank(author);
        _registry.createAsset(salt, details);
    }

    function testFuzz_OnlyTheAuthorChangesOutgoingLinks(address author, address caller) public {
        if (author == address(0) || caller == address(0) || author == caller) return;
        bytes32 parent = _create(author);
        bytes32[] memory children = new bytes32[](1);
        children[0] = _create(caller);
        bytes memory refusal = abi.encodeWithSelector(
            IAssetRegistry.NotAuthor.selector,
            parent,
            author,
            caller
        );

        vm.expectRevert(refusal);
        vm.prank(caller);
        _registry.link(parent, children);

        vm.prank(author);
        _registry.link(parent, children);

        vm.expectRevert(refusal);
        vm.prank(caller);
        _registry.revokeLinks(parent, children);
        require(_registry.linkOf(parent, children[0]).revokedOn == 0, "revoked by somebody else");
    }

    function invariant_LinksAreWhatTheEventsTell() public view {
        for (uint256 parent = 0; parent < _handler.ASSETS(); ++parent) {
            for (uint256 child = 0; child < _handler.ASSETS(); ++child) {
                LinkHandler.Replayed memory told = _handler.replayed(parent, child);
                IAssetRegistry.LinkRecord memory kept = _handler.REGISTRY().linkOf(
                    _handler.ids(parent),
                    _handler.ids(child)
                );
                require(told.addedOn == kept.addedOn, "addedOn");
                require(told.revokedOn == kept.revokedOn, "revokedOn");
                require(told.stands == (kept.addedOn != 0 && kept.revokedOn == 0), "stands");
            }
        }
    }

    function invariant_TheRegistryAcceptsWhatTheRulesAllow() public view {
        require(_handler.surprises() == 0, "a call was answered otherwise than the rules say");
    }

    function invariant_AuthorsNeverChange() public view {
        for (uint256 i = 0; i < _handler.ASSETS(); ++i) {
            require(
                _handler.REGISTRY().assetOf(_handler.ids(i)).author == _handler.author(i),
                "another author"
            );
        }
    }

    function _create(address author) private returns (bytes32) {
        IAssetRegistry.AssetDetails memory details;
        details.name = "Document";
        vm.prank(author);
        return _registry.createAsset(0, details);
    }

    function _details(string[8] memory t) private pure returns (IAssetRegistry.AssetDetails memory) {
        return IAssetRegistry.AssetDetails(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]);
    }

    // Written out from EIP-712, without the library that the registry uses.
    function _digest(
        address author,
        bytes32 salt,
        IAssetRegistry.AssetDetails memory details
    ) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("Asset Registry"),
                keccak256("1"),
                block.chainid,
                address(_registry)
            )
        );
        bytes memory head = abi.encode(
            keccak256(
                "Asset(address author,bytes32 salt,string name,string data,string fileName,string fileType,"
                "string fileSize,string method,string hash,string uri)"
            ),
            author,
            salt
        );
        bytes memory texts = abi.encode(
            keccak256(bytes(details.name)),
            keccak256(bytes(details.data)),
            keccak256(bytes(details.fileName)),
            keccak256(bytes(details.fileType)),
            keccak256(bytes(details.fileSize)),
            keccak256(bytes(details.method)),
            keccak256(bytes(details.hash)),
            keccak256(bytes(details.uri))
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, keccak256(bytes.concat(head, texts))));
    }
}
